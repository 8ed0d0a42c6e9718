//! What JavaScript holds by handles.

use alloc::vec::Vec;

use firstseen::Error;

/// Things by handle. Handles count from 1, so that 0 is none; that of a thing that was freed is given again.
#[derive(Debug)]
pub(crate) struct Slots<T> {
    places: Vec<Option<T>>,
    /// The places that are free again.
    spare: Vec<usize>,
}

impl<T> Slots<T> {
    pub(crate) const fn new() -> Self {
        Self {
            places: Vec::new(),
            spare: Vec::new(),
        }
    }

    pub(crate) fn place(&mut self, thing: T) -> Result<f64, Error> {
        if let Some(index) = self.spare.pop() {
            if let Some(place) = self.places.get_mut(index) {
                *place = Some(thing);
            }
            return Ok((index + 1) as f64);
        }
        let all = self.places.len() + 1;
        self.places
            .try_reserve(1)
            // `free` must not have to allocate.
            .and_then(|()| self.spare.try_reserve(all))
            .map_err(|_| Error::OutOfMemory)?;
        self.places.push(Some(thing));
        Ok(all as f64)
    }

    /// Harmless if there is no such thing.
    pub(crate) fn free(&mut self, handle: u32) {
        let index = index(handle);
        if let Some(place) = self.places.get_mut(index) {
            if place.take().is_some() {
                self.spare.push(index);
            }
        }
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, handle: u32) -> Option<&mut T> {
        self.places.get_mut(index(handle))?.as_mut()
    }
}

#[inline]
fn index(handle: u32) -> usize {
    (handle as usize).wrapping_sub(1)
}

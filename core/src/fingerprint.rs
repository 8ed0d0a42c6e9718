//! 2. The id's stable hash: SipHash-1-3 with 128 bits of output, keyed by the secret.
//!
//! `fingerprint = SipHash-1-3-128(secret, content ‖ domain)`, where the last byte tells the kind of id: `01` bytes,
//! `02` integer (8 bytes, little-endian), `03` composite (each part framed by its kind, and bytes by their length too),
//! `04` the check value of a secret. The domain stands last so that a text is hashed where it lies.

use alloc::vec::Vec;
use core::fmt;

use crate::error::Error;
use crate::id::{Id, Part};
use crate::siphash::{End, Sip13};
use crate::window::reserved;

const DOMAIN_BYTES: u8 = 1;
const DOMAIN_INT: u8 = 2;
const DOMAIN_COMPOSITE: u8 = 3;
const DOMAIN_CHECK: u8 = 4;

const PART_BYTES: u8 = 1;
const PART_INT: u8 = 2;

/// The 16-byte key of the fingerprints.
///
/// The default, 16 zero bytes, is portable and not secret: whoever can choose ids and knows the key could look for ids that
/// collide (2^32 tries for a chance at one pair). Give a random one where ids come from strangers. Windows
/// that exchange fingerprints must share it. `Debug` never shows it.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Secret([u8; 16]);

impl Secret {
    /// A secret of these bytes.
    #[must_use]
    pub const fn new(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// A value that tells whether two parties hold the same secret without showing it:
    /// the first 8 bytes of the fingerprint, in a domain of its own, of the ASCII text `firstseen secret check`.
    ///
    /// ```
    /// use firstseen::Secret;
    ///
    /// assert_ne!(Secret::default().check_value(), Secret::new([7; 16]).check_value());
    /// ```
    #[must_use]
    pub fn check_value(&self) -> [u8; 8] {
        let mut sip = Fingerprinter::new(self).start;
        sip.write(b"firstseen secret check");
        sip.write(&[DOMAIN_CHECK]);
        sip.end().low().to_le_bytes()
    }
}

impl From<[u8; 16]> for Secret {
    fn from(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }
}

impl TryFrom<&[u8]> for Secret {
    type Error = Error;

    fn try_from(bytes: &[u8]) -> Result<Self, Error> {
        <[u8; 16]>::try_from(bytes).map(Self).map_err(|_| {
            let found = Error::value(format_args!("{} bytes", bytes.len()));
            Error::invalid_config("secret", found, "exactly 16 bytes")
        })
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// An id's stable hash: 16 bytes that are the same in every host, version and endianness.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint {
    pub(crate) low: u64,
    pub(crate) high: u64,
}

impl Fingerprint {
    /// A fingerprint that was taken apart by [`to_bytes`](Self::to_bytes), possibly in another host.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        let both = u128::from_le_bytes(bytes);
        Self {
            low: both as u64,
            high: (both >> 64) as u64,
        }
    }

    /// The 16 bytes, as the reference implementation of SipHash writes them.
    #[must_use]
    pub fn to_bytes(self) -> [u8; 16] {
        let both = u128::from(self.low) | u128::from(self.high) << 64;
        both.to_le_bytes()
    }

    /// The part that a window keeps.
    #[must_use]
    pub fn key(self) -> Key {
        Key(self.low)
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fingerprint(")?;
        for byte in self.to_bytes() {
            write!(f, "{byte:02x}")?;
        }
        f.write_str(")")
    }
}

/// What a window keeps of an id: the first 8 bytes of its fingerprint, as a little-endian integer.
///
/// Made by [`Fingerprinter::key`], in somewhat less time than the whole fingerprint.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(pub(crate) u64);

impl Key {
    /// The 64 bits.
    #[must_use]
    pub fn to_u64(self) -> u64 {
        self.0
    }
}

impl From<Fingerprint> for Key {
    fn from(print: Fingerprint) -> Self {
        print.key()
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({:016x})", self.0)
    }
}

/// The fingerprint of one id.
///
/// Takes time linear in the id's length, any length. To fingerprint many ids keep a [`Fingerprinter`].
///
/// # Errors
/// `empty_id`, `invalid_id`: see [`Id`].
///
/// ```
/// use firstseen::{fingerprint, Secret};
///
/// let print = fingerprint("evt_1", &Secret::default())?;
/// assert_eq!(print.to_bytes().len(), 16);
/// # Ok::<(), firstseen::Error>(())
/// ```
pub fn fingerprint<'a>(id: impl Into<Id<'a>>, secret: &Secret) -> Result<Fingerprint, Error> {
    Fingerprinter::new(secret).fingerprint(id)
}

/// Fingerprints ids under one secret.
///
/// ```
/// use firstseen::{fingerprint, Fingerprinter, Part, Secret};
///
/// let secret = Secret::new(*b"sixteen bytes ok");
/// let printer = Fingerprinter::new(&secret);
/// assert_eq!(printer.fingerprint(7_u64)?, fingerprint(7_u64, &secret)?);
///
/// // A composite can be built part by part.
/// let mut composite = printer.composite();
/// composite.push(Part::from("tenant"));
/// composite.push(Part::from(7_u64));
/// let whole = [Part::from("tenant"), Part::from(7_u64)];
/// assert_eq!(composite.finish()?, fingerprint(&whole, &secret)?);
/// # Ok::<(), firstseen::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Fingerprinter {
    start: Sip13,
}

impl Fingerprinter {
    /// A fingerprinter under this secret.
    #[must_use]
    pub fn new(secret: &Secret) -> Self {
        Self {
            start: Sip13::new(u128::from_le_bytes(secret.0)),
        }
    }

    /// The fingerprint of one id; see [`fingerprint`](fn@fingerprint).
    ///
    /// # Errors
    /// `empty_id`, `invalid_id`: see [`Id`].
    pub fn fingerprint<'a>(&self, id: impl Into<Id<'a>>) -> Result<Fingerprint, Error> {
        self.hash(id.into(), |end| {
            let (low, high) = end.both();
            Fingerprint { low, high }
        })
    }

    /// The fingerprint of a text that comes in pieces and is not empty.
    #[cfg(feature = "json")]
    pub(crate) fn of_pieces(&self, feed: impl FnOnce(&mut dyn FnMut(&[u8]))) -> Fingerprint {
        let mut sip = self.start;
        feed(&mut |piece| sip.write(piece));
        sip.write(&[DOMAIN_BYTES]);
        let (low, high) = sip.end().both();
        Fingerprint { low, high }
    }

    /// The key of one id: the part of its fingerprint that a window keeps.
    ///
    /// # Errors
    /// As [`fingerprint`](Self::fingerprint).
    ///
    /// ```
    /// use firstseen::{Fingerprinter, Secret};
    ///
    /// let printer = Fingerprinter::new(&Secret::default());
    /// assert_eq!(printer.key("evt_1")?, printer.fingerprint("evt_1")?.key());
    /// # Ok::<(), firstseen::Error>(())
    /// ```
    #[inline(always)]
    pub fn key<'a>(&self, id: impl Into<Id<'a>>) -> Result<Key, Error> {
        self.hash(id.into(), |end| Key(end.low()))
    }

    /// 64 bits for the body of an event, which may be empty.
    pub(crate) fn digest(&self, body: &[u8]) -> u64 {
        self.start.end_with_suffix(body, DOMAIN_BYTES).low()
    }

    /// Hands the end of the hash to `take`, which knows how much of it is wanted.
    // Inlined, an id and the state stay in registers. Through memory they would be read in wider pieces than they were
    // written, which stalls.
    #[inline(always)]
    fn hash<T>(&self, id: Id<'_>, take: impl FnOnce(End) -> T) -> Result<T, Error> {
        match id {
            Id::Bytes([]) => Err(Error::EmptyId { parts: None }),
            Id::Bytes(bytes) => Ok(take(self.start.end_with_suffix(bytes, DOMAIN_BYTES))),
            Id::Int(value) => Ok(take(self.start.end_with_word(value, DOMAIN_INT))),
            Id::Composite(parts) => self.hash_composite(parts).map(take),
        }
    }

    #[inline(never)]
    fn hash_composite(&self, parts: &[Part<'_>]) -> Result<End, Error> {
        let mut composite = self.composite();
        for part in parts {
            composite.push(*part);
        }
        composite.end()
    }

    /// The keys of several ids, or the error of the first that is refused.
    pub(crate) fn keys<'a, I: Into<Id<'a>>>(
        &self,
        ids: impl IntoIterator<Item = I>,
    ) -> Result<Vec<Key>, Error> {
        let ids = ids.into_iter();
        let mut keys = reserved(ids.size_hint().0)?;
        for id in ids {
            let key = self.key(id)?;
            if keys.len() == keys.capacity() {
                keys.try_reserve(keys.len().max(16))
                    .map_err(|_| Error::OutOfMemory)?;
            }
            keys.push(key);
        }
        Ok(keys)
    }

    /// Starts the fingerprint of a composite whose parts come one at a time.
    #[must_use]
    pub fn composite(&self) -> Composite {
        Composite {
            sip: self.start,
            parts: 0,
            some: false,
        }
    }
}

impl fmt::Debug for Fingerprinter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fingerprinter(..)")
    }
}

/// A composite id's fingerprint in the making; see [`Fingerprinter::composite`].
#[derive(Clone, Copy)]
pub struct Composite {
    sip: Sip13,
    parts: usize,
    some: bool,
}

impl Composite {
    /// Adds the next part.
    pub fn push(&mut self, part: Part<'_>) {
        match part {
            Part::Bytes(bytes) => {
                self.sip.write(&[PART_BYTES]);
                self.sip.write(&(bytes.len() as u64).to_le_bytes());
                self.sip.write(bytes);
                self.some |= !bytes.is_empty();
            }
            Part::Int(value) => {
                self.sip.write(&[PART_INT]);
                self.sip.write(&value.to_le_bytes());
                self.some = true;
            }
        }
        self.parts += 1;
    }

    /// The fingerprint of all parts.
    ///
    /// # Errors
    /// `invalid_id` if there was no part, `empty_id` if every part was empty.
    pub fn finish(self) -> Result<Fingerprint, Error> {
        let (low, high) = self.end()?.both();
        Ok(Fingerprint { low, high })
    }

    fn end(mut self) -> Result<End, Error> {
        if self.parts == 0 {
            return Err(Error::invalid_id("an empty list"));
        }
        if !self.some {
            return Err(Error::EmptyId {
                parts: Some(self.parts),
            });
        }
        self.sip.write(&[DOMAIN_COMPOSITE]);
        Ok(self.sip.end())
    }
}

impl fmt::Debug for Composite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Composite({} parts)", self.parts)
    }
}

//! The figures of windows and sequences as OpenMetrics text.

use alloc::string::String;

use firstseen::{Error, OpenMetrics};

use crate::convert::{chunk, malformed, WINDOW_FIGURES};
use crate::sequences::SEQUENCE_FIGURES;
use crate::Engine;

const WINDOW: u8 = 0;

impl<C> Engine<C> {
    /// Keeps the text of the records in `input`, each as `kind ‖ length ‖ name ‖ figures`, the figures as `stats` leaves them; answers how many
    /// bytes it has.
    pub fn open_metrics(&mut self, input: &[u8]) -> f64 {
        let text = text(input).map(|text| {
            let length = text.len() as f64;
            self.text = text;
            length
        });
        self.answer(text)
    }

    /// Moves the text to where it fits into; answers how many bytes it has.
    pub fn text(&mut self, to: &mut [u8]) -> f64 {
        let text = core::mem::take(&mut self.text);
        for (place, byte) in to.iter_mut().zip(text.bytes()) {
            *place = byte;
        }
        text.len() as f64
    }
}

fn text(mut rest: &[u8]) -> Result<String, Error> {
    let mut metrics = OpenMetrics::new();
    while !rest.is_empty() {
        let [kind] = chunk(&mut rest)?;
        let length = u32::from_le_bytes(chunk(&mut rest)?) as usize;
        let (name, tail) = rest.split_at_checked(length).ok_or_else(malformed)?;
        rest = tail;
        let name = core::str::from_utf8(name).map_err(|_| malformed())?;
        let label = if kind == WINDOW {
            "window"
        } else {
            "sequences"
        };
        let labels = [(label, name)];
        let mut figures = [0.0; WINDOW_FIGURES];
        let count = if kind == WINDOW {
            WINDOW_FIGURES
        } else {
            SEQUENCE_FIGURES
        };
        let figures = figures.get_mut(..count).unwrap_or_default();
        for figure in figures.iter_mut() {
            *figure = f64::from_le_bytes(chunk(&mut rest)?);
        }
        if kind == WINDOW {
            metrics.window_figures(&labels, figures)?;
        } else {
            metrics.sequence_figures(&labels, figures)?;
        }
    }
    metrics.text()
}

//! CSV: records of fields, whose first in each file is the header.

mod header;
mod splitter;

use std::borrow::Cow;

use firstseen::{Fingerprinter, Part};

use crate::failure::{Bad, Failure};
use crate::format::{content, fingerprint, Fault, Format, Frame, Record};
use crate::time::Unit;
use header::{numbered, place};
use splitter::Splitter;

/// A column as it was asked for: by name, or by number as `#1`.
struct Column {
    asked: String,
    /// Its place, known once a header was read, or at once if there is none.
    index: Option<usize>,
}

/// Records of fields (RFC 4180).
pub(crate) struct Csv {
    splitter: Splitter,
    printer: Fingerprinter,
    ids: Vec<Column>,
    time: Option<Column>,
    unit: Unit,
    has_header: bool,
    /// The first file's header; the others' must be alike.
    header: Option<Vec<Vec<u8>>>,
    /// Whether the next record is a header.
    at_header: bool,
    /// How many fields a record has: as many as the first one.
    width: Option<usize>,
}

impl Csv {
    pub(crate) fn new(
        printer: Fingerprinter,
        ids: &[String],
        time: Option<&str>,
        unit: Unit,
        delimiter: u8,
        has_header: bool,
    ) -> Result<Self, String> {
        let column = |asked: &str| -> Result<Column, String> {
            let index = numbered(asked);
            if !has_header && index.is_none() {
                return Err(format!(
                    "`{asked}` is no column of CSV without a header; accepted: a number from 1, such as `#1`"
                ));
            }
            Ok(Column {
                asked: asked.to_owned(),
                index: index.filter(|_| !has_header),
            })
        };
        Ok(Self {
            splitter: Splitter::new(delimiter),
            printer,
            ids: ids
                .iter()
                .map(|asked| column(asked))
                .collect::<Result<_, _>>()?,
            time: time.map(column).transpose()?,
            unit,
            has_header,
            header: None,
            at_header: has_header,
            width: None,
        })
    }

    fn read_header(&mut self, record: &[u8]) -> Result<Record, Failure> {
        let fields: Vec<Vec<u8>> = (0..self.splitter.width())
            .map(|index| {
                self.splitter
                    .field(record, index)
                    .unwrap_or_default()
                    .into_owned()
            })
            .collect();
        if let Some(header) = &self.header {
            if *header != fields {
                return Err(Failure::Data(
                    "invalid_csv: the header is not that of the first file".to_owned(),
                ));
            }
            return Ok(Record::Header { first: false });
        }
        for column in self.ids.iter_mut().chain(&mut self.time) {
            column.index = Some(place(&fields, &column.asked).map_err(Failure::Usage)?);
        }
        self.width = Some(fields.len());
        self.header = Some(fields);
        Ok(Record::Header { first: true })
    }

    fn event(&self, record: &[u8]) -> Result<Record, Bad> {
        let found = self.splitter.width();
        if let Some(width) = self.width.filter(|width| *width != found) {
            return Err(Bad::new(
                "invalid_csv",
                format!("the record has {found} fields; accepted: {width}, as in the first record"),
            ));
        }
        let field = |column: &Column| {
            let field = column
                .index
                .and_then(|index| self.splitter.field(record, index));
            field.ok_or_else(|| {
                let code = "invalid_csv";
                Bad::new(
                    code,
                    format!(
                        "the record has {found} fields, so no column `{}`",
                        column.asked
                    ),
                )
            })
        };
        let fields = self
            .ids
            .iter()
            .map(field)
            .collect::<Result<Vec<Cow<'_, [u8]>>, Bad>>()?;
        let print = fingerprint(&self.printer, fields.len(), |index| {
            Ok(Part::Bytes(
                fields.get(index).map(AsRef::as_ref).unwrap_or_default(),
            ))
        })?;
        let time = self
            .time
            .as_ref()
            .map(|time| self.unit.text(&field(time)?))
            .transpose()?;
        Ok(Record::Event(print, time))
    }
}

impl Format for Csv {
    fn begin(&mut self) {
        self.at_header = self.has_header;
    }

    fn ready(&self) -> bool {
        !self.has_header || self.header.is_some()
    }

    #[inline]
    fn frame(&mut self, data: &[u8], ended: bool) -> Option<Frame> {
        self.splitter.frame(data, ended)
    }

    fn read(&mut self, record: &[u8]) -> Result<Record, Fault> {
        if content(record).is_empty() {
            return Ok(Record::Blank);
        }
        if self.splitter.unclosed() {
            let what = "a quoted field is not closed: it takes all the rest of the file";
            return Err(Bad::new("invalid_csv", what).into());
        }
        if std::mem::take(&mut self.at_header) {
            return self.read_header(record).map_err(Fault::Stop);
        }
        let record = self.event(record)?;
        self.width.get_or_insert(self.splitter.width());
        Ok(record)
    }
}

//! Lines of JSON: the whole line is validated, and only what the paths name is kept.

mod fields;

use std::borrow::Cow;

use firstseen::{Error, Fingerprinter, Key, Millis, Part};

use crate::failure::Bad;
use crate::format::{content, fingerprint, Fault, Format, Frame, Record};
use crate::lines::Splitter;
use crate::time::Unit;
use fields::{Fields, Tree, Value};

/// One JSON text per line.
pub(crate) struct Ndjson {
    splitter: Splitter,
    printer: Fingerprinter,
    tree: Tree,
    /// The values' allocation, kept from line to line.
    spare: Vec<Value<'static>>,
    ids: Vec<Named>,
    time: Option<Named>,
    unit: Unit,
}

/// A path as it was given, and its place among the fields.
struct Named {
    path: String,
    slot: usize,
}

impl Ndjson {
    pub(crate) fn new(
        printer: Fingerprinter,
        ids: &[String],
        time: Option<&str>,
        unit: Unit,
    ) -> Result<Self, String> {
        let mut tree = Tree::default();
        let mut named = |path: &str| -> Result<Named, String> {
            Ok(Named {
                path: path.to_owned(),
                slot: tree.add(&crate::path::parse(path)?),
            })
        };
        let ids = ids
            .iter()
            .map(|path| named(path))
            .collect::<Result<_, _>>()?;
        let time = time.map(&mut named).transpose()?;
        Ok(Self {
            splitter: Splitter::default(),
            printer,
            tree,
            spare: Vec::new(),
            ids,
            time,
            unit,
        })
    }

    fn event(&self, fields: &Fields<'_>) -> Result<Record, Bad> {
        let print = match self.ids.as_slice() {
            [id] => whole(&self.printer, fields.get(id.slot), &id.path)?,
            ids => fingerprint(&self.printer, ids.len(), |index| match ids.get(index) {
                Some(id) => part(fields.get(id.slot), &id.path),
                None => Err(missing("invalid_id", "an id")),
            })?,
        };
        let time = match &self.time {
            Some(time) => Some(moment(fields.get(time.slot), &time.path, self.unit)?),
            None => None,
        };
        Ok(Record::Event(print, time))
    }
}

impl Format for Ndjson {
    #[inline]
    fn frame(&mut self, data: &[u8], ended: bool) -> Option<Frame> {
        self.splitter.frame(data, ended)
    }

    #[inline]
    fn read(&mut self, record: &[u8]) -> Result<Record, Fault> {
        let line = content(record);
        if line.iter().all(u8::is_ascii_whitespace) {
            return Ok(Record::Blank);
        }
        let Ok(line) = std::str::from_utf8(line) else {
            return Err(Bad::new("invalid_json", "the line is not UTF-8").into());
        };
        let mut fields = Fields::new(std::mem::take(&mut self.spare), self.tree.slots());
        let answer = match fields.read(&self.tree, line) {
            Ok(()) => self.event(&fields),
            Err(bad) => Err(bad),
        };
        self.spare = fields.recycle();
        Ok(answer?)
    }
}

fn missing(code: &'static str, path: &str) -> Bad {
    Bad::new(code, format!("the line has no `{path}`"))
}

/// The id that is all in one value.
fn whole(printer: &Fingerprinter, value: &Value<'_>, path: &str) -> Result<Key, Bad> {
    let Value::List(elements) = value else {
        return Ok(match part(value, path)? {
            Part::Bytes(bytes) => printer.key(bytes),
            Part::Int(value) => printer.key(value),
        }?);
    };
    let mut composite = printer.composite();
    for element in elements {
        match element {
            Value::List(_) => return Err(Error::invalid_id("a nested list").into()),
            element => composite.push(part(element, path)?),
        }
    }
    Ok(composite.finish()?.key())
}

/// A value as an id, or as a part of one.
fn part<'a>(value: &'a Value<'_>, path: &str) -> Result<Part<'a>, Bad> {
    match value {
        Value::Text(text) => Ok(Part::Bytes(text.as_bytes())),
        Value::Integer(value) => Ok(Part::Int(*value)),
        Value::Missing => Err(missing("invalid_id", path)),
        other => Err(Error::invalid_id(Cow::Borrowed(other.kind())).into()),
    }
}

fn moment(value: &Value<'_>, path: &str, unit: Unit) -> Result<Millis, Bad> {
    match value {
        Value::Text(text) => unit.text(text.as_bytes()),
        Value::Integer(value) => unit.integer(*value),
        Value::Float(value) => unit.float(*value),
        Value::Missing => Err(missing("invalid_time", path)),
        other => Err(Error::invalid_time("time", other.kind()).into()),
    }
}

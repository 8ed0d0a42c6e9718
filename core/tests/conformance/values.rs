//! Values as the vectors write them, and as this host gives them to the library.

use firstseen::{utf8_from_utf16, Error, Fingerprinter, Id, Millis, Part, Verdict};
use serde_json::{json, Value};

/// An id that owns its content, or one piece of a list.
pub(crate) enum OwnedId {
    Bytes(Vec<u8>),
    Int(u64),
    List(Vec<OwnedId>),
}

/// Reads a tagged id. The error is the library's own: a conversion of this host refuses it.
pub(crate) fn id(value: &Value) -> Result<OwnedId, Error> {
    let object = value.as_object().expect("an id is an object");
    assert_eq!(object.len(), 1, "an id has one tag");
    let (tag, value) = object.iter().next().unwrap();
    Ok(match tag.as_str() {
        "text" => OwnedId::Bytes(value.as_str().unwrap().as_bytes().to_vec()),
        "bytes" => OwnedId::Bytes(hex(value)),
        "repeat" => {
            let unit = hex(&value["hex"]);
            let length = value["bytes"].as_u64().unwrap() as usize;
            OwnedId::Bytes(unit.into_iter().cycle().take(length).collect())
        }
        "utf16" => {
            let units = value.as_array().unwrap().iter();
            let units: Vec<u16> = units
                .map(|unit| u16::from_str_radix(unit.as_str().unwrap(), 16).unwrap())
                .collect();
            OwnedId::Bytes(utf8_from_utf16(&units)?.into_bytes())
        }
        "int" => {
            let wide: i128 = value.as_str().unwrap().parse().unwrap();
            match Id::try_from(wide)? {
                Id::Int(value) => OwnedId::Int(value),
                other => panic!("an integer became {other:?}"),
            }
        }
        "list" => {
            let parts = value.as_array().unwrap().iter().map(id);
            OwnedId::List(parts.collect::<Result<_, _>>()?)
        }
        other => panic!("this host cannot express an id by `{other}`"),
    })
}

impl OwnedId {
    /// What the id holds if it is a text or bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            _ => panic!("this host takes texts and bytes only"),
        }
    }

    fn part(&self) -> Part<'_> {
        match self {
            Self::Bytes(bytes) => Part::Bytes(bytes),
            Self::Int(value) => Part::Int(*value),
            Self::List(_) => panic!("this host cannot express a nested list"),
        }
    }

    /// Calls `then` with the id as the library takes it.
    pub(crate) fn with<T>(&self, then: impl FnOnce(Id<'_>) -> T) -> T {
        match self {
            Self::Bytes(bytes) => then(Id::Bytes(bytes)),
            Self::Int(value) => then(Id::Int(*value)),
            Self::List(parts) => {
                let parts: Vec<Part<'_>> = parts.iter().map(Self::part).collect();
                then(Id::Composite(&parts))
            }
        }
    }

    /// The key, for calls that take many ids.
    pub(crate) fn print(&self, by: &Fingerprinter) -> Result<firstseen::Key, Error> {
        self.with(|id| by.key(id))
    }
}

/// Reads a time in milliseconds.
pub(crate) fn time(name: &'static str, value: &Value) -> Result<Millis, Error> {
    if let Some(ms) = value.as_u64() {
        return Ok(Millis(ms));
    }
    let ms = match value {
        Value::Number(number) => number.as_f64().unwrap(),
        Value::Object(tagged) => tagged["float"].as_str().unwrap().parse().unwrap(),
        other => panic!("this host cannot express a time by {other}"),
    };
    Millis::from_ms(name, ms)
}

pub(crate) fn optional_time(name: &'static str, value: &Value) -> Result<Option<Millis>, Error> {
    match value {
        Value::Null => Ok(None),
        given => time(name, given).map(Some),
    }
}

pub(crate) fn hex(value: &Value) -> Vec<u8> {
    let text = value.as_str().unwrap();
    let digits = text.as_bytes().chunks(2);
    digits
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

pub(crate) fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn verdict(verdict: &Verdict) -> Value {
    match (verdict.age(), verdict.lease_left()) {
        (Some(age), _) => json!({"kind": verdict.kind(), "age_ms": age.0}),
        (_, Some(left)) => json!({"kind": verdict.kind(), "lease_left_ms": left.0}),
        _ => json!({"kind": verdict.kind()}),
    }
}

//! The values at given paths of a JSON text, found in one pass without building the rest.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::failure::Bad;

/// The paths, merged: what to look for at each place.
#[derive(Default)]
pub(crate) struct Tree {
    root: Node,
    slots: usize,
}

#[derive(Default)]
struct Node {
    /// Where the value at this place goes, if it is asked for.
    slot: Option<usize>,
    children: Vec<Child>,
}

struct Child {
    key: String,
    /// The key as an index, for arrays.
    index: Option<usize>,
    node: Node,
}

impl Tree {
    /// Adds a path and returns its slot; the same path has the same slot.
    pub(crate) fn add(&mut self, steps: &[String]) -> usize {
        let slot = self.root.add(steps, self.slots);
        self.slots = self.slots.max(slot + 1);
        slot
    }

    pub(crate) fn slots(&self) -> usize {
        self.slots
    }
}

impl Node {
    /// Adds what is below this place, and returns the slot: `next` if there is none yet.
    fn add(&mut self, steps: &[String], next: usize) -> usize {
        let Some((step, rest)) = steps.split_first() else {
            return *self.slot.get_or_insert(next);
        };
        if let Some(child) = self.children.iter_mut().find(|child| child.key == *step) {
            return child.node.add(rest, next);
        }
        let mut node = Self::default();
        let slot = node.add(rest, next);
        self.children.push(Child {
            key: step.clone(),
            // `01` and `+1` are keys only.
            index: step
                .parse()
                .ok()
                .filter(|index: &usize| index.to_string() == *step),
            node,
        });
        slot
    }
}

/// What stands at a path.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value<'a> {
    Missing,
    Text(Cow<'a, str>),
    Integer(u64),
    Negative,
    Float(f64),
    Boolean,
    Null,
    List(Vec<Value<'a>>),
    Object,
}

impl Value<'_> {
    /// What it is, for a message: its kind, never its content.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Text(_) => "a text",
            Self::Integer(_) => "an integer",
            Self::Negative => "a negative integer",
            Self::Float(value) if value.fract() == 0.0 && value.abs() >= 1e15 => {
                "an integer out of range, or a float"
            }
            Self::Float(_) => "a float",
            Self::Boolean => "a boolean",
            Self::Null => "null",
            Self::List(_) => "a list",
            Self::Object => "an object",
        }
    }
}

/// The values of one line, by slot.
pub(crate) struct Fields<'a> {
    values: Vec<Value<'a>>,
}

impl<'a> Fields<'a> {
    /// All missing at first; `spare` lends its allocation.
    pub(crate) fn new(spare: Vec<Value<'static>>, slots: usize) -> Self {
        let mut values: Vec<Value<'a>> = spare;
        values.resize(slots, Value::Missing);
        Self { values }
    }

    /// Gives the allocation back. The standard library collects in place.
    pub(crate) fn recycle(mut self) -> Vec<Value<'static>> {
        self.values.clear();
        self.values.into_iter().map(|_| Value::Missing).collect()
    }

    pub(crate) fn get(&self, slot: usize) -> &Value<'a> {
        self.values.get(slot).unwrap_or(&Value::Missing)
    }

    /// Reads a line, which must be one JSON text and nothing else.
    pub(crate) fn read(&mut self, tree: &Tree, line: &'a str) -> Result<(), Bad> {
        let mut json = serde_json::Deserializer::from_str(line);
        let walk = Walk {
            node: Some(&tree.root),
            fields: self,
            keep: false,
        };
        walk.deserialize(&mut json)
            .and_then(|_| json.end())
            .map_err(|error| describe(&error))
    }

    fn set(&mut self, node: &Node, value: Value<'a>) {
        if let Some(place) = node.slot.and_then(|slot| self.values.get_mut(slot)) {
            *place = value;
        }
    }

    /// A key came again: as in every JSON library of the hosts, the last one counts, all of it.
    fn forget(&mut self, node: &Node) {
        self.set(node, Value::Missing);
        for child in &node.children {
            self.forget(&child.node);
        }
    }
}

fn describe(error: &serde_json::Error) -> Bad {
    let text = error.to_string();
    // A line is all that the parser sees, so that its own line number says nothing.
    let what = text.split(" at line ").next().unwrap_or_default();
    // The latter is what the parser says when nothing follows the first half of a pair.
    if what.contains("surrogate") || what.contains("end of hex escape") {
        return Bad::new(
            "invalid_text",
            "a text has a lone surrogate; accepted: well-formed text",
        );
    }
    Bad::new(
        "invalid_json",
        format!("{what} at column {}", error.column()),
    )
}

/// Goes through one value.
struct Walk<'t, 'f, 'a> {
    /// What is looked for here and below.
    node: Option<&'t Node>,
    fields: &'f mut Fields<'a>,
    /// Whether the value is also an element of a list that is asked for, and thus to be returned.
    keep: bool,
}

impl<'a> Walk<'_, '_, 'a> {
    #[inline]
    fn found(self, value: Value<'a>) -> Value<'a> {
        if let Some(node) = self.node {
            if self.keep {
                self.fields.set(node, value.clone());
                return value;
            }
            self.fields.set(node, value);
            return Value::Missing;
        }
        value
    }
}

impl<'a> DeserializeSeed<'a> for Walk<'_, '_, 'a> {
    type Value = Value<'a>;

    #[inline]
    fn deserialize<D: Deserializer<'a>>(self, json: D) -> Result<Value<'a>, D::Error> {
        if self.node.is_none() && !self.keep {
            json.deserialize_ignored_any(IgnoredAny)?;
            return Ok(Value::Missing);
        }
        json.deserialize_any(self)
    }
}

impl<'a> Visitor<'a> for Walk<'_, '_, 'a> {
    type Value = Value<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Value<'a>, E> {
        Ok(self.found(Value::Boolean))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value<'a>, E> {
        Ok(self.found(Value::Integer(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value<'a>, E> {
        Ok(self.found(u64::try_from(value).map_or(Value::Negative, Value::Integer)))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value<'a>, E> {
        Ok(self.found(Value::Float(value)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value<'a>, E> {
        Ok(self.found(Value::Text(Cow::Owned(text.to_owned()))))
    }

    #[inline]
    fn visit_borrowed_str<E>(self, text: &'a str) -> Result<Value<'a>, E> {
        Ok(self.found(Value::Text(Cow::Borrowed(text))))
    }

    fn visit_unit<E>(self) -> Result<Value<'a>, E> {
        Ok(self.found(Value::Null))
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut list: A) -> Result<Value<'a>, A::Error> {
        let children = self.node.map_or(&[][..], |node| &node.children);
        // Lists in lists are no ids, and need not be kept.
        let keep = !self.keep && self.node.is_some_and(|node| node.slot.is_some());
        let mut elements = Vec::new();
        for index in 0.. {
            let child = children.iter().find(|child| child.index == Some(index));
            let walk = Walk {
                node: child.map(|child| &child.node),
                fields: &mut *self.fields,
                keep,
            };
            match list.next_element_seed(walk)? {
                Some(element) if keep => elements.push(element),
                Some(_) => {}
                None => break,
            }
        }
        Ok(self.found(Value::List(elements)))
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<Value<'a>, A::Error> {
        let children = self.node.map_or(&[][..], |node| &node.children);
        while let Some(child) = map.next_key_seed(Key(children))? {
            let walk = Walk {
                node: child.map(|child| &child.node),
                fields: &mut *self.fields,
                keep: false,
            };
            if let Some(child) = child {
                walk.fields.forget(&child.node);
            }
            map.next_value_seed(walk)?;
        }
        Ok(self.found(Value::Object))
    }
}

/// Finds which child a key is.
struct Key<'t>(&'t [Child]);

impl<'t, 'a> DeserializeSeed<'a> for Key<'t> {
    type Value = Option<&'t Child>;

    #[inline]
    fn deserialize<D: Deserializer<'a>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_str(self)
    }
}

impl<'t> Visitor<'_> for Key<'t> {
    type Value = Option<&'t Child>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    #[inline]
    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(self.0.iter().find(|child| child.key == key))
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;

//! The curve, drawn: two panels over ids held, and one key below both.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, ValueFormatter};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::report::Row;
use crate::Outcome;

const SIZE: (u32, u32) = (1120, 600);
const KEY_HEIGHT: i32 = 112;
const KEY_COLUMNS: i32 = 3;
const FONT: &str = "system-ui, sans-serif";
const INK: RGBColor = RGBColor(0x24, 0x29, 0x2f);
const FAINT: RGBColor = RGBColor(0xd8, 0xde, 0xe4);

/// How a design is called in the key, its colour (of the palette of Okabe and Ito, which the colour-blind can tell apart) and its
/// mark. Designs without a style are in the table only: the calls of the memory alone would lie close to the public ones.
const STYLES: [(&str, &str, RGBColor, Mark); 7] = [
    (
        "public: first_seen_many by 256",
        "firstseen, batches of 256",
        RGBColor(0x00, 0x72, 0xb2),
        Mark::Disc,
    ),
    (
        "public: first_seen",
        "firstseen, one at a time",
        RGBColor(0x56, 0xb4, 0xe9),
        Mark::Ring,
    ),
    (
        "(b) hashbrown and identity hash + VecDeque",
        "(b) hashbrown, identity hash",
        RGBColor(0x00, 0x9e, 0x73),
        Mark::Square,
    ),
    (
        "(a) std HashSet + VecDeque",
        "(a) std HashSet + VecDeque",
        RGBColor(0x24, 0x29, 0x2f),
        Mark::Diamond,
    ),
    (
        "std HashMap with times; swept once a window",
        "std HashMap with times, swept",
        RGBColor(0xe6, 0x9f, 0x00),
        Mark::Triangle,
    ),
    (
        "ttl_cache TtlCache",
        "ttl_cache",
        RGBColor(0xcc, 0x79, 0xa7),
        Mark::Cross,
    ),
    (
        "moka sync Cache",
        "moka",
        RGBColor(0xd5, 0x5e, 0x00),
        Mark::Plus,
    ),
];

#[derive(Clone, Copy)]
enum Mark {
    Disc,
    Ring,
    Square,
    Diamond,
    Triangle,
    Cross,
    Plus,
}

impl Mark {
    fn draw(self, area: &Area<'_>, (x, y): (i32, i32), colour: RGBColor) -> Outcome {
        let (filled, line) = (colour.filled(), colour.stroke_width(2));
        match self {
            Self::Disc => area.draw(&Circle::new((x, y), 5, filled))?,
            Self::Ring => {
                area.draw(&Circle::new((x, y), 5, WHITE.filled()))?;
                area.draw(&Circle::new((x, y), 5, line))?;
            }
            Self::Square => {
                area.draw(&Rectangle::new([(x - 4, y - 4), (x + 4, y + 4)], filled))?;
            }
            Self::Diamond => {
                let corners = vec![(x, y - 6), (x + 6, y), (x, y + 6), (x - 6, y)];
                area.draw(&Polygon::new(corners, filled))?;
            }
            Self::Triangle => area.draw(&TriangleMarker::new((x, y), 6, filled))?,
            Self::Cross => area.draw(&Cross::new((x, y), 5, line))?,
            Self::Plus => {
                area.draw(&PathElement::new(vec![(x - 6, y), (x + 6, y)], line))?;
                area.draw(&PathElement::new(vec![(x, y - 6), (x, y + 6)], line))?;
            }
        }
        Ok(())
    }
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

pub(crate) fn draw(rows: &[Row], svg: &str) -> Outcome {
    let root = SVGBackend::new(svg, SIZE).into_drawing_area();
    // A ground of its own, or it could not be read on a dark page.
    root.fill(&WHITE)?;
    let (panels, key) = root.split_vertically(SIZE.1 as i32 - KEY_HEIGHT);
    let (left, right) = panels.split_horizontally(SIZE.0 as i32 / 2);
    panel(&root, &left, rows, "CPU nanoseconds per event", |row| {
        row.ns
    })?;
    panel(&root, &right, rows, "bytes per id held", |row| row.bytes)?;
    draw_key(&key)?;
    root.present()?;
    Ok(())
}

/// A logarithmic axis, of which the plot knows the logarithms alone.
struct Axis {
    span: Range<f64>,
}

impl Axis {
    /// From the least of the values to the largest, with some room around.
    fn of(values: impl Iterator<Item = f64>) -> Outcome<Self> {
        let nothing = f64::INFINITY..f64::NEG_INFINITY;
        let span = values.map(f64::log10).fold(nothing, |span, value| {
            value.min(span.start)..value.max(span.end)
        });
        if span.start.is_finite() && span.end.is_finite() {
            let span = span.start - 0.1..span.end + 0.1;
            Ok(Self { span })
        } else {
            Err("there is nothing to draw on a logarithmic axis".into())
        }
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (from, to): (i32, i32)) -> i32 {
        let share = (value - self.span.start) / (self.span.end - self.span.start);
        from + (f64::from(to - from) * share).round() as i32
    }

    /// At 1, 2 and 5 times the powers of ten, or at these alone where the axis is long.
    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        let long = self.span.end - self.span.start > 3.5;
        let steps: &[f64] = if long { &[1.0] } else { &[1.0, 2.0, 5.0] };
        (0..10)
            .flat_map(|decade| steps.iter().map(move |step| step * 10_f64.powi(decade)))
            .map(f64::log10)
            .filter(|value| self.span.contains(value))
            .collect()
    }

    fn range(&self) -> Range<f64> {
        self.span.clone()
    }
}

impl ValueFormatter<f64> for Axis {
    /// The value itself: 6.0 is `1 M`.
    fn format(logarithm: &f64) -> String {
        match 10_f64.powf(*logarithm).round() {
            value if value >= 1e6 => format!("{} M", value / 1e6),
            value if value >= 1e3 => format!("{} k", value / 1e3),
            value => value.to_string(),
        }
    }
}

fn text(size: u32) -> TextStyle<'static> {
    (FONT, size).into_font().color(&INK)
}

fn panel(
    root: &Area<'_>,
    area: &Area<'_>,
    rows: &[Row],
    title: &str,
    value: fn(&Row) -> f64,
) -> Outcome {
    let shown = || {
        rows.iter()
            .filter(|row| STYLES.iter().any(|style| style.0 == row.design))
    };
    let x = Axis::of(shown().map(|row| row.held as f64))?;
    let y = Axis::of(shown().map(value))?;
    let mut chart = ChartBuilder::on(area)
        .margin(16)
        .caption(title, text(20))
        .x_label_area_size(52)
        .y_label_area_size(52)
        .build_cartesian_2d(x, y)?;
    chart
        .configure_mesh()
        .x_desc("ids held")
        .label_style(text(15))
        .axis_desc_style(text(16))
        .axis_style(INK)
        .bold_line_style(FAINT)
        .light_line_style(TRANSPARENT)
        .draw()?;
    // In reverse, so that the first lies on top.
    for (design, _, colour, mark) in STYLES.iter().rev() {
        let points: Vec<(f64, f64)> = rows
            .iter()
            .filter(|row| row.design == *design)
            .map(|row| ((row.held as f64).log10(), value(row).log10()))
            .collect();
        let line = colour.stroke_width(2);
        chart.draw_series(LineSeries::new(points.iter().copied(), line))?;
        for point in points {
            // In pixels of the whole picture, not of the panel.
            mark.draw(root, chart.backend_coord(&point), *colour)?;
        }
    }
    Ok(())
}

fn draw_key(area: &Area<'_>) -> Outcome {
    let width = SIZE.0 as i32 / KEY_COLUMNS;
    for (place, (_, name, colour, mark)) in STYLES.iter().enumerate() {
        let place = place as i32;
        let left = 60 + place % KEY_COLUMNS * width;
        let middle = 16 + place / KEY_COLUMNS * 30;
        let line = vec![(left, middle), (left + 40, middle)];
        area.draw(&PathElement::new(line, colour.stroke_width(2)))?;
        mark.draw(area, (left + 20, middle), *colour)?;
        let style = text(16).pos(Pos::new(HPos::Left, VPos::Center));
        area.draw(&Text::new(*name, (left + 52, middle), style))?;
    }
    Ok(())
}

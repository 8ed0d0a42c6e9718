//! Filters: the rate of lost ids over bits per expected id, as promised and as measured, beside a rotating pair of classic Bloom
//! filters (the `fastbloom` crate).
//!
//! `cargo run --release -p firstseen-curve --bin rates CSV SVG` measures, writes both files and prints a table. Seeded: every run gives the
//! same figures.
#![expect(clippy::unwrap_used, reason = "a benchmark fails by panicking")]

mod pair;

use std::fmt::Write as _;
use std::fs;

use firstseen::{Fingerprint, Memory, Millis, Now, Window};
use plotters::prelude::*;

use self::pair::{mix, Pair};

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

const EXPECTED: u64 = 100_000;
const WINDOW_MS: u64 = 60_000;
const RATES: [f64; 10] = [
    0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001, 0.00003,
];
/// New ids are offered until so many are lost: five standard deviations are a tenth of that.
const LOST: u64 = 2_500;

struct Point {
    design: &'static str,
    promised: f64,
    measured: f64,
    bits: f64,
}

/// Offers new ids, evenly, in whole windows after the first two.
fn lost(mut first: impl FnMut(u64, u64) -> bool) -> f64 {
    let (mut id, mut lost, mut windows) = (0, 0, 0);
    while windows < 2 + 10 || lost < LOST {
        for _ in 0..EXPECTED {
            let is_first = first(mix(id), id * WINDOW_MS / EXPECTED);
            lost += u64::from(windows >= 2 && !is_first);
            id += 1;
        }
        windows += 1;
    }
    lost as f64 / ((windows - 2) * EXPECTED) as f64
}

fn of_window<M: Memory>(design: &'static str, promised: f64, mut window: Window<M>) -> Point {
    let bytes = window.stats(Now::Unsaid).unwrap().memory_bytes;
    let measured = lost(|bits, now| {
        let key = Fingerprint::from_bytes(u128::from(bits).to_le_bytes()).key();
        window.record(key, Millis(now), None).unwrap().is_first()
    });
    Point {
        design,
        promised,
        measured,
        bits: bytes as f64 * 8.0 / EXPECTED as f64,
    }
}

fn of_pair(promised: f64) -> Point {
    let mut pair = Pair::new(EXPECTED, promised, WINDOW_MS);
    let bits = pair.bytes() as f64 * 8.0 / EXPECTED as f64;
    Point {
        design: "a rotating pair of fastbloom",
        promised,
        measured: lost(|bits, now| pair.first(bits, now)),
        bits,
    }
}

fn measure() -> Vec<Point> {
    let window = Millis(WINDOW_MS);
    let mut points = Vec::new();
    for rate in RATES {
        let bloom = Window::bloom(window, EXPECTED, rate).build().unwrap();
        points.push(of_window("bloom", rate, bloom));
        let cuckoo = Window::cuckoo(window, EXPECTED, rate).build().unwrap();
        points.push(of_window("cuckoo", rate, cuckoo));
        points.push(of_pair(rate));
    }
    points
}

const STYLES: [(&str, RGBColor); 3] = [
    ("bloom", RGBColor(0x00, 0x72, 0xb2)),
    ("cuckoo", RGBColor(0x00, 0x9e, 0x73)),
    ("a rotating pair of fastbloom", RGBColor(0xe6, 0x9f, 0x00)),
];
const INK: RGBColor = RGBColor(0x24, 0x29, 0x2f);
const FAINT: RGBColor = RGBColor(0xd8, 0xde, 0xe4);

fn draw(points: &[Point], svg: &str) -> Outcome {
    let root = SVGBackend::new(svg, (900, 560)).into_drawing_area();
    // A ground of its own, or it could not be read on a dark page.
    root.fill(&WHITE)?;
    let text = |size: u32| ("system-ui, sans-serif", size).into_font().color(&INK);
    let least = points.iter().map(|p| p.bits).fold(f64::INFINITY, f64::min);
    let most = points.iter().map(|p| p.bits).fold(0.0, f64::max);
    let mut chart = ChartBuilder::on(&root)
        .margin(20)
        .caption(
            "new ids lost, by bits per expected id: configured (line) and measured (discs)",
            text(19),
        )
        .x_label_area_size(52)
        .y_label_area_size(72)
        .build_cartesian_2d(least - 1.0..most + 1.0, (0.000_005..0.1_f64).log_scale())?;
    chart
        .configure_mesh()
        .x_desc("bits per expected id")
        .y_desc("of new ids, lost")
        .y_label_formatter(&|rate| format!("{} %", rate * 100.0))
        .label_style(text(15))
        .axis_desc_style(text(16))
        .axis_style(INK)
        .bold_line_style(FAINT)
        .light_line_style(TRANSPARENT)
        .draw()?;
    for (design, colour) in STYLES {
        let of = || points.iter().filter(move |point| point.design == design);
        let line = of().map(|point| (point.bits, point.promised));
        chart
            .draw_series(LineSeries::new(line, colour.stroke_width(2)))?
            .label(design)
            .legend(move |(x, y)| {
                PathElement::new(vec![(x, y), (x + 24, y)], colour.stroke_width(2))
            });
        let discs = of().map(|point| Circle::new((point.bits, point.measured), 4, colour.filled()));
        chart.draw_series(discs)?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .label_font(text(16))
        .border_style(FAINT)
        .background_style(WHITE)
        .draw()?;
    root.present()?;
    Ok(())
}

fn main() -> Outcome {
    let mut arguments = std::env::args().skip(1);
    let (Some(csv), Some(svg)) = (arguments.next(), arguments.next()) else {
        return Err("two files are wanted: CSV SVG".into());
    };
    let points = measure();
    let mut table = String::from("design,configured,measured,bits_per_expected_id\n");
    println!("| design | configured | measured | bits per expected id |\n|---|---:|---:|---:|");
    for point in &points {
        let Point {
            design,
            promised,
            measured,
            bits,
        } = point;
        writeln!(table, "{design},{promised},{measured:.7},{bits:.2}")?;
        let [promised, measured] = [promised, measured].map(|rate| rate * 100.0);
        println!("| {design} | {promised} % | {measured:.4} % | {bits:.1} |");
    }
    fs::write(csv, table)?;
    draw(&points, &svg)
}

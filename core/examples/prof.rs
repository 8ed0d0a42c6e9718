use firstseen::*;
fn main() {
    let mut w = Window::exact(Millis(3_000)).build().unwrap();
    let n: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let t = std::time::Instant::now();
    for i in 0..n {
        w.first_seen(i, Millis(i / 100)).unwrap();
    }
    println!("{:?} per id", t.elapsed() / n as u32);
}

//! A plan against windows that were really filled.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use firstseen::sizing::{plan, Choice, MemoryKind, Plan};
use firstseen::{Memory, Millis, Now, Window};

const WINDOW: Millis = Millis(60_000);

/// The greatest `memory_bytes` while a window fills at an even load and goes on for another, in batches of so many.
fn greatest<M: Memory>(window: &mut Window<M>, ids: u64, batch: u64) -> u64 {
    let mut greatest = 0;
    for start in (0..2 * ids).step_by(batch as usize) {
        let now = Millis(start * WINDOW.0 / ids);
        let answers = window.first_seen_many(start..start + batch, now);
        answers.unwrap();
        // Not after each of a million.
        if start < 5_000 || start % 61 < batch {
            let bytes = window.stats(Now::Unsaid).unwrap().memory_bytes;
            greatest = greatest.max(bytes);
        }
    }
    greatest
}

fn for_ids(ids: u64) -> Plan {
    let plan = plan(ids as f64 / 60.0, WINDOW).false_drop_rate(0.01);
    let plan = plan.build().unwrap();
    assert_eq!(plan.expected_ids, ids);
    plan
}

#[test]
fn an_exact_window_takes_at_most_what_its_plan_says() {
    for batch in [1, 256] {
        for ids in [
            1, 3, 10, 40, 100, 300, 700, 1_000, 1_300, 3_000, 4_500, 10_000, 100_000,
        ] {
            let mut window = Window::exact(WINDOW).build().unwrap();
            let real = greatest(&mut window, ids, batch);
            let planned = for_ids(ids.max(batch)).exact.bytes;
            assert!(real <= planned, "{ids} by {batch}: {real} of {planned}");
            if ids >= 100_000 {
                let share = real as f64 / planned as f64;
                assert!(share > 0.85, "{ids} by {batch}: no more than {share} of it");
            }
        }
    }
}

#[test]
fn where_lines_become_narrow_the_plan_still_holds() {
    // At each size on the way the memory is at the peak of its growth or between two.
    let mut window = Window::exact(WINDOW).build().unwrap();
    let mut share = 0.0_f64;
    for id in 0..3_200_000 {
        window.first_seen(id, Millis(0)).unwrap();
        if id > 1_500_000 && id % 1_009 == 0 {
            let real = window.stats(Now::Unsaid).unwrap().memory_bytes;
            // One bucket of 61 holds them all, and the plan is for 60 of 61.
            let planned = for_ids(id * 60 / 61).exact.bytes;
            assert!(real <= planned, "{id}: {real} of {planned}");
            share = share.max(real as f64 / planned as f64);
        }
    }
    assert!(share > 0.85, "no more than {share} of it");
}

#[test]
fn a_filter_takes_what_its_plan_says_and_a_window_of_the_plan_can_be_built() {
    for ids in [1, 100, 10_000, 1_000_000] {
        let plan = for_ids(ids);
        let close = |choice: Option<Choice>, real: u64| {
            let planned = choice.unwrap().bytes;
            assert!(
                (planned - 8192..=planned).contains(&real),
                "{real} of {planned}"
            );
        };
        let fill = ids.min(10_000);
        let mut cuckoo = Window::cuckoo(WINDOW, ids, 0.01).build().unwrap();
        close(plan.cuckoo, greatest(&mut cuckoo, fill, 1));
        let mut bloom = Window::bloom(WINDOW, ids, 0.01).build().unwrap();
        close(plan.bloom, greatest(&mut bloom, fill, 1));
    }
}

#[test]
fn what_is_remembered_longest_is_remembered_no_longer() {
    let plan = for_ids(1_000);
    assert_eq!(plan.exact.remembered, Millis(61_000));
    let mut window = Window::exact(WINDOW).build().unwrap();
    assert!(window.first_seen("a", Millis(0)).unwrap());
    assert!(window.check("a", Millis(60_999)).unwrap().kind() == "duplicate");
    assert!(window.check("a", plan.exact.remembered).unwrap().is_first());
}

#[test]
fn exact_wherever_it_fits_and_a_filter_only_for_a_rate() {
    let question = plan(10_000.0, Millis(600_000));
    let exact = question.build().unwrap().exact;
    let recommended =
        |question: firstseen::sizing::PlanConfig| question.build().unwrap().recommended;
    assert_eq!(recommended(question), Some(MemoryKind::Exact));
    assert_eq!(
        recommended(question.budget(exact.bytes)),
        Some(MemoryKind::Exact)
    );
    let less = question.budget(exact.bytes - 1);
    assert_eq!(recommended(less), None);
    let lossy = less.false_drop_rate(0.01);
    assert_eq!(recommended(lossy), Some(MemoryKind::Cuckoo));
    let [cuckoo, bloom] = {
        let plan = lossy.build().unwrap();
        [plan.cuckoo.unwrap(), plan.bloom.unwrap()]
    };
    assert!(bloom.bytes < cuckoo.bytes);
    assert_eq!(
        recommended(lossy.budget(cuckoo.bytes - 1)),
        Some(MemoryKind::Bloom)
    );
    let none = lossy.budget(bloom.bytes - 1).build().unwrap();
    assert_eq!(none.recommended, None);
    assert!(
        none.reason()
            .starts_with("nothing fits; a shorter one would: an exact window of "),
        "{none}"
    );
}

#[test]
fn a_window_that_would_fit_does_and_a_longer_one_does_not() {
    let question = plan(12_345.6, Millis(86_400_000))
        .budget(20 << 20)
        .false_drop_rate(0.001);
    let plan_of = |window| {
        let question = plan(12_345.6, window)
            .budget(20 << 20)
            .false_drop_rate(0.001);
        question.build().unwrap()
    };
    for (number, choice) in question.build().unwrap().choices().into_iter().enumerate() {
        assert!(!choice.fits);
        let Millis(window) = choice.fitting_window.unwrap();
        assert!(plan_of(Millis(window)).choices().get(number).unwrap().fits);
        let longer = plan_of(Millis(window + window / 500));
        assert!(!longer.choices().get(number).unwrap().fits);
    }
    let nothing = plan(1e6, Millis(1_000)).budget(1).build().unwrap();
    assert_eq!(nothing.exact.fitting_window, None);
    assert!(
        nothing.reason().ends_with("no event may be lost"),
        "{nothing}"
    );
}

#[test]
fn hostile_values_are_refused_and_never_panic() {
    let rates = [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        -1.0,
        -0.0,
        0.0,
        5e-324,
        1e-9,
        0.3,
        1e5,
        1e12,
        1e13,
        1e300,
        f64::MAX,
    ];
    let windows = [
        0,
        1,
        2,
        59,
        60,
        61,
        249,
        250,
        12_345,
        1 << 40,
        (1 << 53) - 1,
        1 << 53,
        u64::MAX,
    ];
    let budgets = [
        None,
        Some(0),
        Some(1),
        Some(8_193),
        Some(1 << 30),
        Some((1 << 53) - 1),
        Some(1 << 53),
        Some(u64::MAX),
    ];
    let drops = [
        None,
        Some(f64::NAN),
        Some(0.0),
        Some(-1.0),
        Some(1e-11),
        Some(1e-10),
        Some(1e-7),
        Some(0.5),
        Some(0.51),
        Some(f64::INFINITY),
    ];
    let (mut planned, mut refused) = (0, 0);
    for rate in rates {
        for window in windows {
            for budget in budgets {
                for false_drop_rate in drops {
                    let mut question = plan(rate, Millis(window));
                    question.budget = budget;
                    question.false_drop_rate = false_drop_rate;
                    match question.build() {
                        Ok(plan) => {
                            planned += 1;
                            assert!(plan.to_string().contains("recommended: "));
                            for choice in plan.choices() {
                                assert!(choice.bytes > 0 && choice.remembered.0 >= window);
                                assert!((0.0..=0.5).contains(&choice.false_drop_rate));
                                assert!(
                                    choice.fits || choice.fitting_window < Some(Millis(window))
                                );
                            }
                        }
                        Err(error) => {
                            refused += 1;
                            let far = window > Millis::MAX.0;
                            let code = if far {
                                "invalid_time"
                            } else {
                                "invalid_config"
                            };
                            assert_eq!(error.code(), code, "{question:?}");
                        }
                    }
                }
            }
        }
    }
    assert!(planned > 500 && refused > 5_000, "{planned} and {refused}");
}

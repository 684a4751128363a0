use super::*;

fn at(milliseconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_millis(1_000_000_000_000 + milliseconds)
}

/// Answers as (sent, received, date), in milliseconds; the last gives the news.
fn observed(answers: &[(u64, u64, u64)]) -> (Option<f64>, Option<News>) {
    let mut skew = Skew::default();
    let mut news = None;
    for (sent, received, date) in answers {
        news = skew.observe(at(*sent), at(*received), at(*date));
    }
    (skew.seconds(), news)
}

#[test]
fn nothing_is_said_before_an_answer() {
    assert_eq!(Skew::default().seconds(), None);
}

#[test]
fn whole_seconds_are_no_skew() {
    for (sent, received, date) in [
        (10_000, 10_005, 10_000),
        (10_999, 11_001, 11_000),
        (10_999, 11_001, 10_000),
        (10_400, 14_000, 10_000),
        (10_400, 14_000, 14_000),
    ] {
        assert_eq!(
            observed(&[(sent, received, date)]).0,
            Some(0.0),
            "{sent} {received} {date}"
        );
    }
}

#[test]
fn no_more_is_said_than_is_sure() {
    // The server's clock shows 10.0 to 11.0 while this one shows 20.5.
    assert_eq!(observed(&[(20_500, 20_500, 10_000)]).0, Some(9.5));
    // It shows 30.0 to 31.0 while this one shows 20.5 to 21.5.
    assert_eq!(observed(&[(20_500, 21_500, 30_000)]).0, Some(-8.5));
}

#[test]
fn several_answers_narrow_it() {
    let (skew, _) = observed(&[
        (20_500, 20_500, 10_000),
        (30_999, 30_999, 20_000),
        (41_000, 41_000, 31_000),
    ]);
    assert!(skew.is_some_and(|skew| (skew - 9.999).abs() < 1e-6), "{skew:?}");
}

#[test]
fn a_clock_that_was_set_shows_at_once() {
    let far = (20_500, 20_500, 10_000);
    let near = (30_500, 30_500, 30_000);
    assert_eq!(observed(&[far, far, far, near]), (Some(0.0), Some(News::Near)));
}

#[test]
fn drift_does_not_stay_behind() {
    let slow = |n: u64| (n * 11_000, n * 11_000, n * 10_000);
    let answers: Vec<_> = (1..=30).map(slow).collect();
    let (skew, _) = observed(&answers);
    assert!(skew.is_some_and(|skew| (29.0..=30.0).contains(&skew)), "{skew:?}");
}

#[test]
fn it_is_news_once() {
    let far = (20_500, 20_500, 10_000);
    assert_eq!(observed(&[far]).1, Some(News::Apart(9.5)));
    assert_eq!(observed(&[far, far]).1, None);
    assert_eq!(
        observed(&[(14_500, 14_500, 10_000)]).1,
        None,
        "3.5 s alarm nobody"
    );
}

#[test]
fn an_answer_during_which_the_clock_was_put_back_tells_nothing() {
    assert_eq!(observed(&[(20_500, 20_400, 10_000)]), (None, None));
}

use std::collections::HashSet;

use super::*;

#[test]
fn names_are_unique_and_say_what_they_are() {
    let mut names = HashSet::new();
    for family in ALL {
        assert!(names.insert(family.name), "{} stands twice", family.name);
        assert_eq!(
            family.name.ends_with("_total"),
            family.kind == MetricType::COUNTER,
            "{}",
            family.name
        );
        assert!(
            family.help.ends_with('.'),
            "{} is not explained in a sentence",
            family.name
        );
    }
}

#[test]
fn samples_stand_below_their_help_with_labels_in_order() {
    let mut text = Text::default();
    text.value(&LEADER, 1.0);
    text.values(
        &WATCH_RESTARTS,
        [(["Gateway", "gone"], 2.0), (["Gateway", "timeout"], 0.0)],
    );
    text.values::<1>(&WATCH_LISTS, []);
    let text = String::from_utf8(text.render().unwrap()).unwrap();
    assert_eq!(
        text,
        "# HELP latchkey_operator_leader Whether this process may write now: 1 or 0.\n\
         # TYPE latchkey_operator_leader gauge\n\
         latchkey_operator_leader 1\n\
         # HELP latchkey_watch_restarts_total Ends of watches, by kind and cause.\n\
         # TYPE latchkey_watch_restarts_total counter\n\
         latchkey_watch_restarts_total{kind=\"Gateway\",cause=\"gone\"} 2\n\
         latchkey_watch_restarts_total{kind=\"Gateway\",cause=\"timeout\"} 0\n"
    );
}

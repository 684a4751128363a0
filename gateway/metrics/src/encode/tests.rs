use super::*;

static PLAIN: Family = Family {
    name: "a",
    help: "Of a.",
    kind: Kind::Gauge,
    labels: &[],
};
static LABELLED: Family = Family {
    name: "b_total",
    help: "Line\nand \\ and \".",
    kind: Kind::Counter,
    labels: &["x", "y"],
};
static TIMES: Family = Family {
    name: "t",
    help: "Of t.",
    kind: Kind::Histogram,
    labels: &["x"],
};

fn written(write: impl FnOnce(&mut Text)) -> String {
    let mut text = Text::default();
    write(&mut text);
    String::from_utf8(text.finish().to_vec()).unwrap()
}

#[test]
fn a_family_without_labels_has_no_braces() {
    assert_eq!(
        written(|text| text.single(&PLAIN, 7_u64)),
        "# HELP a Of a.\n# TYPE a gauge\na 7\n"
    );
}

#[test]
fn labels_are_escaped_wherever_they_come_from_and_help_keeps_its_quotes() {
    let text = written(|text| {
        let mut samples = text.family(&LABELLED);
        samples.value(&Labels::of(&LABELLED, &["\"\\\n"]), &["}, é\n"], 1_u64);
        samples.value(&Labels::default(), &["p", ""], 2_u64);
        samples.value(&Labels::of(&LABELLED, &["q", "r"]), &[], 3_u64);
    });
    assert_eq!(
        text,
        "# HELP b_total Line\\nand \\\\ and \".\n# TYPE b_total counter\n\
         b_total{x=\"\\\"\\\\\\n\",y=\"}, é\\n\"} 1\n\
         b_total{x=\"p\",y=\"\"} 2\n\
         b_total{x=\"q\",y=\"r\"} 3\n"
    );
}

#[test]
fn numbers_are_written_as_the_format_reads_them() {
    for (value, wanted) in [
        (Value::Int(u64::MAX), "18446744073709551615"),
        (Value::Float(0.0025), "0.0025"),
        (Value::Float(3.0), "3"),
        (Value::Float(-1.5), "-1.5"),
        (Value::Float(f64::INFINITY), "+Inf"),
        (Value::Float(f64::NEG_INFINITY), "-Inf"),
        (Value::Float(f64::NAN), "NaN"),
    ] {
        let mut buffer = BytesMut::new();
        put_value(&mut buffer, value);
        assert_eq!(buffer, format!("{wanted}\n").as_bytes());
    }
}

#[test]
fn a_histogram_is_cumulative_and_its_count_is_its_last_bucket() {
    let bounds = ["0.5".to_owned(), "1".to_owned()];
    let labels = Labels::of(&TIMES, &["p"]);
    let text = written(|text| text.family(&TIMES).histogram(&labels, &bounds, &[2, 0, 3], 4.5));
    assert_eq!(
        text,
        "# HELP t Of t.\n# TYPE t histogram\nt_bucket{x=\"p\",le=\"0.5\"} 2\nt_bucket{x=\"p\",le=\"1\"} 2\n\
         t_bucket{x=\"p\",le=\"+Inf\"} 5\nt_sum{x=\"p\"} 4.5\nt_count{x=\"p\"} 5\n"
    );
}

#[test]
fn a_family_written_twice_stands_once() {
    let text = written(|text| {
        text.single(&PLAIN, 1_u64);
        text.single(&PLAIN, 2_u64);
    });
    assert_eq!(text, "# HELP a Of a.\n# TYPE a gauge\na 1\n");
}

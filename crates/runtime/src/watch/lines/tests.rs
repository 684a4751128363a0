use super::*;

fn lines(lines: &mut Lines) -> Vec<String> {
    let mut all = Vec::new();
    while let Ok(Some(line)) = lines.next() {
        all.push(String::from_utf8(line.to_vec()).unwrap());
    }
    all
}

#[test]
fn lines_are_whole_however_their_bytes_come() {
    let mut split = Lines::new(100);
    split.push(b"on");
    assert_eq!(split.next(), Ok(None));
    split.push(b"e\ntwo\n\n \r\nth");
    assert_eq!(lines(&mut split), ["one", "two"]);
    split.push(b"ree\n");
    assert_eq!(lines(&mut split), ["three"]);
}

#[test]
fn a_line_may_be_as_long_as_the_limit_and_no_longer() {
    let mut split = Lines::new(3);
    split.push(b"abc\n");
    assert_eq!(lines(&mut split), ["abc"]);
    split.push(b"abcd\n");
    assert_eq!(split.next(), Err(TooLong));
    let mut split = Lines::new(3);
    split.push(b"abcd");
    assert_eq!(split.next(), Err(TooLong));
}

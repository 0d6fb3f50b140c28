//! Times left, as records write them.

/// The most digits of a number that is taken for a part of a time.
const DIGITS_MAX: usize = 9;

/// `299`, `299.42` or `-0.5` as milliseconds.
pub fn read(text: &str) -> Option<i64> {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let seconds = number(whole, DIGITS_MAX)?;
    let mut ms = 0;
    for index in 0..3 {
        ms = ms * 10 + i64::from(fraction.as_bytes().get(index).map_or(0, |digit| digit.wrapping_sub(b'0')));
    }
    fraction.bytes().all(|byte| byte.is_ascii_digit()).then_some(sign * (seconds * 1000 + ms))
}

/// One digit at least and `most` at most.
fn number(digits: &str, most: usize) -> Option<i64> {
    let fits = (1..=most).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    fits.then(|| digits.bytes().fold(0, |value, digit| value * 10 + i64::from(digit - b'0')))
}

/// `[%clk 0:04:59.3]` as milliseconds.
pub fn read_command(text: &str) -> Option<i64> {
    let value = text.strip_prefix("[%clk")?.strip_suffix(']')?.trim();
    let mut parts = value.rsplitn(3, ':');
    let seconds = read(parts.next()?)?;
    let minutes = parts.next().map_or(Some(0), |part| number(part, 3))?;
    let hours = parts.next().map_or(Some(0), |part| number(part, 3))?;
    Some(seconds + (minutes + hours * 60) * 60_000)
}

/// Seconds with three places.
pub fn write(ms: i64) -> String {
    let sign = if ms < 0 { "-" } else { "" };
    let ms = ms.unsigned_abs();
    format!("{sign}{}.{:03}", ms / 1000, ms % 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_whole_fractional_and_negative() {
        let read_back = |text: &str| read(text).map(write);
        assert_eq!(read_back("299").as_deref(), Some("299.000"));
        assert_eq!(read_back("118.3").as_deref(), Some("118.300"));
        assert_eq!(read_back("-0.0504").as_deref(), Some("-0.050"));
        assert_eq!([read(""), read("12s"), read("1.2.3"), read("9999999999"), read("+5"), read("1.-5")], [None; 6]);
    }

    #[test]
    fn clock_commands() {
        assert_eq!(read_command("[%clk 0:00:01.3]"), Some(1300));
        assert_eq!(read_command("[%clk 1:02:03]"), Some(3_723_000));
        assert_eq!(read_command("[%emt 0:00:01]"), None);
        let endless = "9".repeat(40);
        let [minutes, hours] = [format!("[%clk {endless}:01]"), format!("[%clk {endless}:00:01]")];
        assert_eq!([read_command(&minutes), read_command(&hours), read_command("[%clk ::1]")], [None; 3]);
    }
}

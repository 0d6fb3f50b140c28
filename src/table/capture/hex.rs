//! Bytes as pairs of hex digits, and back: lower case is written, both are read.

const DIGITS: &[u8; 16] = b"0123456789abcdef";
/// Stands in [`VALUES`] for what is no digit.
const NO_DIGIT: u8 = 0xff;

/// The value of every character that is a hex digit.
const VALUES: [u8; 256] = {
    let mut values = [NO_DIGIT; 256];
    let mut value = 0;
    while value < 16 {
        let digit = DIGITS[value];
        values[digit as usize] = value as u8;
        values[digit.to_ascii_uppercase() as usize] = value as u8;
        value += 1;
    }
    values
};

/// Two digits a byte.
pub fn encode(bytes: &[u8]) -> String {
    let digit = |nibble: u8| DIGITS[usize::from(nibble)] as char;
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Appends the bytes that `text` means; none if it is not pairs of digits.
pub fn decode(text: &str, bytes: &mut Vec<u8>) -> Option<()> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    bytes.reserve(pairs.len());
    for [high, low] in pairs {
        let (high, low) = (VALUES[usize::from(*high)], VALUES[usize::from(*low)]);
        if high | low == NO_DIGIT {
            return None;
        }
        bytes.push(high << 4 | low);
    }
    rest.is_empty().then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(text: &str) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        decode(text, &mut bytes).map(|()| bytes)
    }

    #[test]
    fn every_byte_comes_back() {
        let all: Vec<u8> = (0..=255).collect();
        let text = encode(&all);
        assert!(text.starts_with("000102") && text.ends_with("fdfeff"));
        assert_eq!(decoded(&text), Some(all.clone()));
        assert_eq!(decoded(&text.to_uppercase()), Some(all));
    }

    #[test]
    fn what_is_no_pair_of_digits_is_refused() {
        for text in ["8", "8e0", "zz", "8g", "g8", "é", " 8", "0x"] {
            assert_eq!(decoded(text), None, "{text:?}");
        }
    }
}

//! One spelling for one word: small letters, no accents, half width.

/// Adds `c` to `out` in its folded form: lower case, full width made half width, Latin letters
/// without their marks, combining marks dropped, typographic apostrophes and hyphens made plain.
pub fn fold_char(c: char, out: &mut String) {
    if c.is_ascii() {
        out.push(c.to_ascii_lowercase());
        return;
    }
    match c {
        '\u{ff01}'..='\u{ff5e}' => {
            let half = char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c);
            out.push(half.to_ascii_lowercase());
        }
        '’' | '‘' | '´' | 'ʼ' | '`' | '′' => out.push('\''),
        '‐' | '‑' | '–' => out.push('-'),
        // Combining marks, Arabic vowel signs, joiners, variation selectors.
        '\u{300}'..='\u{36f}'
        | '\u{64b}'..='\u{652}'
        | '\u{640}'
        | '\u{200b}'..='\u{200d}'
        | '\u{fe00}'..='\u{fe0f}' => {}
        'ß' | 'ẞ' => out.push_str("ss"),
        'æ' | 'Æ' => out.push_str("ae"),
        'œ' | 'Œ' => out.push_str("oe"),
        'ё' | 'Ё' => out.push('е'),
        'أ' | 'إ' | 'آ' => out.push('ا'),
        'ى' => out.push('ي'),
        _ => {
            if let Some(base) = latin_base(c) {
                out.push(base);
            } else {
                out.extend(c.to_lowercase());
            }
        }
    }
}

/// The folded form of `text`.
pub fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    text.chars().for_each(|c| fold_char(c, &mut out));
    out
}

/// The letter under the mark, for the Latin letters of the languages that have a pack.
fn latin_base(c: char) -> Option<char> {
    Some(match c {
        'à'..='å' | 'À'..='Å' | 'ā' | 'Ā' | 'ă' | 'Ă' | 'ą' | 'Ą' => 'a',
        'ç' | 'Ç' | 'ć' | 'Ć' | 'č' | 'Č' => 'c',
        'ď' | 'Ď' | 'đ' | 'Đ' | 'ð' | 'Ð' => 'd',
        'è'..='ë' | 'È'..='Ë' | 'ē' | 'Ē' | 'ė' | 'Ė' | 'ę' | 'Ę' | 'ě' | 'Ě' => 'e',
        'ğ' | 'Ğ' => 'g',
        'ì'..='ï' | 'Ì'..='Ï' | 'ī' | 'Ī' | 'ı' | 'İ' => 'i',
        'ł' | 'Ł' => 'l',
        'ñ' | 'Ñ' | 'ń' | 'Ń' | 'ň' | 'Ň' => 'n',
        'ò'..='ö' | 'Ò'..='Ö' | 'ø' | 'Ø' | 'ō' | 'Ō' | 'ő' | 'Ő' => 'o',
        'ř' | 'Ř' => 'r',
        'ś' | 'Ś' | 'š' | 'Š' | 'ş' | 'Ş' => 's',
        'ť' | 'Ť' => 't',
        'ù'..='ü' | 'Ù'..='Ü' | 'ū' | 'Ū' | 'ů' | 'Ů' | 'ű' | 'Ű' => 'u',
        'ý' | 'ÿ' | 'Ý' | 'Ÿ' => 'y',
        'ź' | 'Ź' | 'ż' | 'Ż' | 'ž' | 'Ž' => 'z',
        _ => return None,
    })
}

/// Returns true if words of this script are written without blanks between them.
pub fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '々' | '〆' | '\u{ff66}'..='\u{ff9d}'
        | '\u{20000}'..='\u{2fa1f}')
}

/// Returns true if a script is written without blanks, also for Thai, Lao, Tibetan and CJK radicals, whose words
/// [`prose_terms`](crate::words::prose_terms) does not pair.
pub fn is_unspaced_script(c: char) -> bool {
    is_unspaced(c) || matches!(c, '\u{2e80}'..='\u{2fdf}' | '\u{e00}'..='\u{eff}')
}

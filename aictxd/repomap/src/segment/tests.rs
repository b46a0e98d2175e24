use super::*;

/// One document with one symbol, whose document starts behind it.
#[test]
fn starts_out_of_order_lead_to_a_document_that_is_there() {
    use Section::{
        DocById, DocId, DocImports, DocLength, DocMeta, DocSymbols, ImportStart, NameStart,
        NameSymbols, SymbolByName, SymbolContainer, SymbolEnd, SymbolKind, SymbolLine, SymbolName,
        SymbolText, TermLists, TermStart,
    };
    for starts in [[1_u32, 1], [0, 0], [7, 0]] {
        let mut bytes = Vec::new();
        for section in Section::ALL {
            let length: usize = match section {
                DocId => 20,
                DocLength => 16,
                DocSymbols | DocImports | SymbolText => 8,
                DocById | DocMeta | SymbolName | SymbolLine | SymbolEnd | SymbolByName
                | NameStart | NameSymbols | ImportStart | TermStart | TermLists => 4,
                SymbolContainer => 2,
                SymbolKind => 1,
                _ => 0,
            };
            bytes.extend(u16::try_from(length).unwrap().to_le_bytes());
            if matches!(section, DocSymbols) {
                bytes.extend(starts.iter().flat_map(|start| start.to_le_bytes()));
            } else {
                bytes.resize(bytes.len() + length, 0);
            }
        }
        let segment = Segment::sealed(&bytes).unwrap();
        assert_eq!((segment.docs(), segment.symbols()), (1, 1));
        assert_eq!(segment.doc_of_symbol(0), 0, "{starts:?}");
    }
}

"""The texts that tokenizers are trained on and asked about, and the files that hold what they make of them."""
import json
import pathlib

HERE = pathlib.Path(__file__).parent / "tokenizers"
WORDS = """the a street animal cross didn't because it was too tired wide attention heads layer query key value model
learned token tokens tokenization unbelievable running runner runs walked walking walks it's we've I'm they'll he'd
Berlin Zürich café naïve résumé garçon jalapeño Straße über größer kühl smörgåsbord 2024 1,024 3.14 100 %""".split()
WORDS += [a + b + c for a in ("", "re", "un") for b in ("read", "think", "build", "form") for c in ("", "ing", "er", "able")]
OTHER = ["привет мир", "Ελλάδα", "你好世界", "東京タワー", "한국어", "שלום עולם", "مرحبا بالعالم", "नमस्ते", "สวัสดี", "😀 👩‍👩‍👧 🇪🇸", "½ ⅷ ①"]
BLANKS = set("\t\n\v\f\r \u0085\u00a0\u1680\u2028\u2029\u202f\u205f\u3000") | {chr(c) for c in range(0x2000, 0x200B)}


def corpus(rnd, count):
    return [" ".join(rnd.choice(WORDS) for _ in range(rnd.randint(3, 12))) + rnd.choice([".", "!", "?", ""])
            for _ in range(count)] + OTHER * 5


def texts(rnd, count):
    """Strings that are easy to get wrong; no NUL, which SentencePiece does not take."""
    pools = ["abcXYZ", " ", "  \t\n", "0123456789", "éàüñçß", "e\u0301o\u0308", "你好世界", "привет", "שלום", "مرحبا", "한국어",
             "😀👍🏽👩‍👧🇪🇸", "'s't've'", ".,!?-–—()[]{}", "\u00a0\u2003\u3000", "\u200b\u200d\u00ad", "½ⅷ①٣४", "İıẞσς", "\u0301\u20dd"]
    made = ["", " ", "a", "Hello, world!", "  two  blanks ", "The animal didn't cross the street because it was too tired",
            "[MASK] <s> </s> [UNK]", "a" * 120, "x" * 99, "ä" * 101, "\n\n\n", "1234567890" * 3]
    for _ in range(count):
        parts = []
        for _ in range(rnd.randint(1, 9)):
            if rnd.random() < 0.5:
                parts.append(rnd.choice(WORDS + OTHER))
            else:
                pool = rnd.choice(pools)
                parts.append("".join(rnd.choice(pool) for _ in range(rnd.randint(1, 5))))
            if rnd.random() < 0.6:
                parts.append(" ")
        made.append("".join(parts))
    return made


def write(folder, name, text):
    (HERE / folder).mkdir(parents=True, exist_ok=True)
    (HERE / folder / name).write_text(text, encoding="utf-8", newline="")


def write_vectors(folder, vectors):
    write(folder, "vectors.jsonl", "".join(json.dumps(v, ensure_ascii=True, separators=(",", ":")) + "\n" for v in vectors))

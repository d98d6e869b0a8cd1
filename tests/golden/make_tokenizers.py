#!/usr/bin/env python3
"""Vocabularies trained for the tests, and what independent code makes of a few hundred texts with them.

    /usr/bin/python3 tests/golden/make_tokenizers.py          (Debian: python3-sentencepiece)

byte_level   byte pair encoding over bytes, GPT-2's pattern; trained and run by the few plain lines below
word_piece   BERT's vocab.txt; trained and run by the few plain lines below
unigram      SentencePiece's Unigram trainer and encoder, with a small normalization of its own
byte_pieces  SentencePiece's BPE with bytes for unknown characters, as Llama's
Each folder gets vectors.jsonl: {"text", "ids"}, and offsets in bytes where the code below knows them.
"""
import base64
import collections
import json
import pathlib
import random
import re
import tempfile
import unicodedata

import sentencepiece

HERE = pathlib.Path(__file__).parent / "tokenizers"
WORDS = """the a street animal cross didn't because it was too tired wide attention heads layer query key value model
learned token tokens tokenization unbelievable running runner runs walked walking walks it's we've I'm they'll he'd
Berlin Zürich café naïve résumé garçon jalapeño Straße über größer kühl smörgåsbord 2024 1,024 3.14 100 %""".split()
WORDS += [a + b + c for a in ("", "re", "un") for b in ("read", "think", "build", "form") for c in ("", "ing", "er", "able")]
OTHER = ["привет мир", "Ελλάδα", "你好世界", "東京タワー", "한국어", "שלום עולם", "مرحبا بالعالم", "नमस्ते", "สวัสดี", "😀 👩‍👩‍👧 🇪🇸", "½ ⅷ ①"]


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


# -- byte-level BPE ------------------------------------------------------------------------------------------------

def letters():
    """GPT-2's character for each byte."""
    kept = [b for b in range(256) if 33 <= b <= 126 or 161 <= b <= 172 or b >= 174]
    table = {b: chr(b) for b in kept}
    for b in range(256):
        if b not in table:
            table[b] = chr(256 + len(table) - len(kept))
    return table


BLANKS = set("\t\n\v\f\r \u0085\u00a0\u1680\u2028\u2029\u202f\u205f\u3000") | {chr(c) for c in range(0x2000, 0x200B)}


def kind(c):
    if c in BLANKS:
        return "blank"
    return {"L": "letter", "N": "number"}.get(unicodedata.category(c)[0], "other")


def gpt2_words(text):
    """'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+ by hand."""
    at = 0
    while at < len(text):
        end = next((at + len(s) for s in ("'s", "'t", "'re", "'ve", "'m", "'ll", "'d") if text.startswith(s, at)), None)
        if end is None:
            first = at + 1 if text[at] == " " and at + 1 < len(text) and kind(text[at + 1]) != "blank" else at
            wanted = kind(text[first])
            end = first + 1
            while end < len(text) and kind(text[end]) == wanted:
                end += 1
            if wanted == "blank" and end < len(text) and end - at > 1:
                end -= 1  # the last blank belongs to the word behind
        yield at, end
        at = end


def join(parts, ranks):
    """Joins the pair that was learned first, everywhere, until none is left."""
    parts = list(parts)
    while len(parts) > 1:
        best = min(range(len(parts) - 1), key=lambda k: ranks.get((parts[k], parts[k + 1]), 1 << 30))
        if (parts[best], parts[best + 1]) not in ranks:
            break
        parts[best:best + 2] = [parts[best] + parts[best + 1]]
    return parts


def learn(words, merges):
    """words: {tuple of pieces: count}; the pairs in the order learned. `merges`: how many."""
    learned = []
    words = dict(words)
    for _ in range(merges):
        pairs = collections.Counter()
        for parts, count in words.items():
            for pair in zip(parts, parts[1:]):
                pairs[pair] += count
        if not pairs:
            break
        best = max(pairs, key=lambda p: (pairs[p], p))
        learned.append(best)
        words = {tuple(join_one(parts, best)): count for parts, count in words.items()}
    return learned


def join_one(parts, pair):
    result = []
    for part in parts:
        if result and (result[-1], part) == pair:
            result[-1] += part
        else:
            result.append(part)
    return result


def make_byte_level(rnd):
    table = letters()
    spell = lambda text: "".join(table[b] for b in text.encode())
    counts = collections.Counter(tuple(spell(line[a:b])) for line in corpus(rnd, 400) for a, b in gpt2_words(line))
    merges = learn(counts, 400)
    pieces = [table[b] for b in sorted(table, key=lambda b: table[b])] + [a + b for a, b in merges]
    vocabulary = {piece: k for k, piece in enumerate(dict.fromkeys(pieces))}
    vocabulary["<|endoftext|>"] = len(vocabulary)
    ranks = {pair: k for k, pair in enumerate(merges)}
    write("byte_level", "vocab.json", json.dumps(vocabulary, ensure_ascii=False))
    write("byte_level", "merges.txt", "#version: 0.2\n" + "".join(f"{a} {b}\n" for a, b in merges))
    vectors = []
    for text in texts(rnd, 200):
        ids, offsets = [], []
        for begin, end in gpt2_words(text):
            owners = [k for k in range(begin, end) for _ in text[k].encode()]  # the character of each byte
            at = 0
            for piece in join(spell(text[begin:end]), ranks):
                first, last = owners[at], owners[at + len(piece) - 1]
                ids.append(vocabulary[piece])
                offsets.append([len(text[:first].encode()), len(text[:last + 1].encode())])
                at += len(piece)
        vectors.append({"text": text, "ids": ids, "offsets": offsets})
    write_vectors("byte_level", vectors)


# -- WordPiece -----------------------------------------------------------------------------------------------------

def bert_words(text):
    """Devlin et al.'s BasicTokenizer: (word, first character, last character) with lower case and no accents."""
    def is_chinese(c):
        return any(a <= ord(c) <= b for a, b in ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0xF900, 0xFAFF), (0x20000, 0x2A6DF)))

    def is_punctuation(c):
        return unicodedata.category(c)[0] == "P" or (ord(c) < 128 and c.isprintable() and not c.isalnum() and c != " ")

    words, open_word = [], False
    for k, original in enumerate(text):
        if original not in "\t\n\r" and (original in "\0\ufffd" or unicodedata.category(original) in ("Cc", "Cf", "Co")):
            continue
        if original in BLANKS:
            open_word = False
            continue
        for c in unicodedata.normalize("NFD", original):
            if unicodedata.category(c) == "Mn":
                continue
            alone = is_chinese(original) or is_punctuation(c)
            if alone or not open_word:
                words.append([])
            words[-1].append((c.lower(), k))
            open_word = not alone
    return words


def make_word_piece(rnd):
    counts = collections.Counter()
    for line in corpus(rnd, 400):
        for word in bert_words(line):
            spelled = "".join(c for c, _ in word)
            counts[(spelled[0],) + tuple("##" + c for c in spelled[1:])] += 1

    def both(a, b):
        return a + b[2:]

    words, pieces = dict(counts), sorted({p for word in counts for p in word})
    for _ in range(300):
        pairs = collections.Counter()
        for parts, count in words.items():
            for pair in zip(parts, parts[1:]):
                pairs[pair] += count
        if not pairs:
            break
        best = max(pairs, key=lambda p: (pairs[p], p))
        pieces.append(both(*best))
        joined = {}
        for parts, count in words.items():
            result = []
            for part in parts:
                if result and (result[-1], part) == best:
                    result[-1] = both(*best)
                else:
                    result.append(part)
            joined[tuple(result)] = count
        words = joined
    lines = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + list(dict.fromkeys(pieces))
    vocabulary = {piece: k for k, piece in enumerate(lines)}
    write("word_piece", "vocab.txt", "".join(line + "\n" for line in lines))
    vectors = []
    for text in texts(rnd, 200):
        if "[" in text:
            text = text.replace("[", "(")  # special tokens are looked for before this code begins
        ids, offsets = [2], [[0, 0]]
        for word in bert_words(text):
            found, at = [], 0
            while at < len(word) <= 100:
                prefix = "##" if at else ""
                end = next((e for e in range(len(word), at, -1) if prefix + "".join(c for c, _ in word[at:e]) in vocabulary), 0)
                if not end:
                    break
                found.append((prefix + "".join(c for c, _ in word[at:end]), at, end))
                at = end
            if at < len(word):
                found = [("[UNK]", 0, len(word))]
            for piece, begin, end in found:
                first, last = word[begin][1], word[end - 1][1]
                ids.append(vocabulary[piece])
                offsets.append([len(text[:first].encode()), len(text[:last + 1].encode())])
        vectors.append({"text": text, "ids": ids + [3], "offsets": offsets + [[0, 0]]})
    write_vectors("word_piece", vectors)


# -- SentencePiece -------------------------------------------------------------------------------------------------

def fields(message):
    """(number, value) of a protobuf message."""
    at = 0

    def varint():
        nonlocal at
        value, shift = 0, 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(message):
        tag = varint()
        if tag & 7 == 0:
            yield tag >> 3, varint()
            continue
        size = {1: 8, 5: 4}.get(tag & 7) or varint()
        yield tag >> 3, message[at:at + size]
        at += size


def trained(rnd, folder, **options):
    lines = corpus(rnd, 400)
    model = pathlib.Path(folder) / "model"
    (pathlib.Path(folder) / "corpus.txt").write_text("\n".join(lines), encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(input=f"{folder}/corpus.txt", model_prefix=str(model), num_threads=1,
                                             character_coverage=1.0, minloglevel=2, **options)
    return sentencepiece.SentencePieceProcessor(model_file=f"{model}.model"), (model.parent / "model.model").read_bytes()


def base(**parts):
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None,
            "pre_tokenizer": None, "post_processor": None, "decoder": None, **parts}


def special(sp, names):
    return [{"id": sp.piece_to_id(n), "content": n, "single_word": False, "lstrip": False, "rstrip": False,
             "normalized": False, "special": True} for n in names]


def frame(before, after):
    item = lambda t: {"SpecialToken": {"id": t[0], "type_id": 0}}
    return {"type": "TemplateProcessing", "single": [item(t) for t in before] + [{"Sequence": {"id": "A", "type_id": 0}}] +
            [item(t) for t in after], "pair": [],
            "special_tokens": {t[0]: {"id": t[0], "ids": [t[1]], "tokens": [t[0]]} for t in before + after}}


def make_unigram(rnd):
    rules = {"\uFB01": "fi", "\u2003": " ", "\u00A0": " ", "\t": " ", "\n": " ", "\u3000": " ", "e\u0301": "é", "\u00AD": "",
             "\u2460": "1", "\u00BD": "1\u20442", "İ": "i"}
    with tempfile.TemporaryDirectory() as folder:
        rule_file = pathlib.Path(folder) / "rules.tsv"
        code = lambda text: " ".join(f"{ord(c):X}" for c in text)
        rule_file.write_text("".join(f"{code(a)}\t{code(b)}\n" for a, b in rules.items()))
        sp, model = trained(rnd, folder, vocab_size=400, hard_vocab_limit=False, model_type="unigram", pad_id=0, eos_id=1, unk_id=2, bos_id=-1,
                            normalization_rule_tsv=str(rule_file))
    charsmap = next(v for k, spec in fields(model) if k == 3 for kk, v in fields(spec) if kk == 2)
    metaspace = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    vocabulary = [[sp.id_to_piece(k), sp.get_score(k)] for k in range(sp.get_piece_size())]
    write("unigram", "tokenizer.json", json.dumps(base(
        added_tokens=special(sp, ["<pad>", "</s>", "<unk>"]),
        normalizer={"type": "Precompiled", "precompiled_charsmap": base64.b64encode(charsmap).decode()},
        pre_tokenizer={"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, metaspace]},
        post_processor=frame([], [("</s>", 1)]), decoder=metaspace,
        model={"type": "Unigram", "unk_id": 2, "vocab": vocabulary}), ensure_ascii=False))
    vectors = []
    for text in texts(rnd, 200):
        # SentencePiece knows no other blank than ' ', and takes "</s>" for text.
        text = "".join(c for c in text if c not in BLANKS or c in " \t\n\u2003\u00A0\u3000").replace("</s>", "")
        # Left out: spellings that weigh the same, of which each library may take either, and a cluster of several marks,
        # of which Hugging Face's normalizer, whose ids are the standard here, drops the second.
        best = sp.nbest_encode_as_immutable_proto(text, nbest_size=2).nbests if text.strip() else []
        tie = len(best) == 2 and abs(best[0].score - best[1].score) < 1e-3
        if not tie and not re.search("e\u0301[\u0300-\u036f\u20d0-\u20ff]", text):
            vectors.append({"text": text, "ids": sp.encode(text) + [1]})
    write_vectors("unigram", vectors)


def make_byte_pieces(rnd):
    with tempfile.TemporaryDirectory() as folder:
        sp, _ = trained(rnd, folder, vocab_size=560, model_type="bpe", byte_fallback=True,
                        normalization_rule_name="identity", remove_extra_whitespaces=False)
    ids = {sp.id_to_piece(k): k for k in range(sp.get_piece_size())}
    joined = {}
    for piece, k in ids.items():
        if not (sp.is_byte(k) or sp.is_control(k) or sp.is_unknown(k)):
            halves = [(ids[piece[:n]], ids[piece[n:]], piece[:n], piece[n:]) for n in range(1, len(piece))
                      if piece[:n] in ids and piece[n:] in ids]
            joined[piece] = (-sp.get_score(k), sorted(halves))
    merges = [f"{a} {b}" for piece in sorted(joined, key=lambda p: joined[p][0]) for _, _, a, b in joined[piece][1]]
    write("byte_pieces", "tokenizer.json", json.dumps(base(
        added_tokens=special(sp, ["<unk>", "<s>", "</s>"]),
        normalizer={"type": "Sequence", "normalizers": [
            {"type": "Prepend", "prepend": "▁"}, {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]},
        post_processor=frame([("<s>", 1)], []),
        decoder={"type": "Sequence", "decoders": [
            {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"},
            {"type": "Strip", "content": " ", "start": 1, "stop": 0}]},
        model={"type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None,
               "end_of_word_suffix": None, "fuse_unk": True, "byte_fallback": True, "vocab": ids, "merges": merges}),
        ensure_ascii=False))
    vectors = []
    for text in texts(rnd, 200):
        text = text.replace("<s>", "").replace("</s>", "")
        vectors.append({"text": text, "ids": [1] + sp.encode(text)})
    write_vectors("byte_pieces", vectors)


if __name__ == "__main__":
    make_byte_level(random.Random(1))
    make_word_piece(random.Random(2))
    make_unigram(random.Random(3))
    make_byte_pieces(random.Random(4))

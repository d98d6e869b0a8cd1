"""Byte pair encoding over bytes with GPT-2's pattern, in plain Python: how it is trained and what it makes of texts."""
import collections
import json
import unicodedata

from tokenizers_texts import BLANKS, corpus, texts, write, write_vectors


def letters():
    """GPT-2's character for each byte."""
    kept = [b for b in range(256) if 33 <= b <= 126 or 161 <= b <= 172 or b >= 174]
    table = {b: chr(b) for b in kept}
    for b in range(256):
        if b not in table:
            table[b] = chr(256 + len(table) - len(kept))
    return table


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

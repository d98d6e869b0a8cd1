"""BERT's WordPiece in plain Python: how it is trained and what it makes of texts."""
import collections
import unicodedata

from tokenizers_texts import BLANKS, corpus, texts, write, write_vectors


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

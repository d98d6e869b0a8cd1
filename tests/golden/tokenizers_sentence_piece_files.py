"""SentencePiece's own files in folders without a tokenizer.json, each as a family's folder holds it, and what SentencePiece
makes of texts with them; what a family puts around a text, and its own ids, by hand."""
import json
import pathlib
import subprocess
import tempfile
import unicodedata

from tokenizers_sentence_piece import fields, trained
from tokenizers_texts import BLANKS, HERE, OTHER, WORDS, texts, write, write_vectors

MARKS = "\u0301\u0308\u20dd"
TEXTS = ["naïve e\u0301le\u0300ve", "①②③ ½ ﬁ ﬀ", "ＡＢＣ　ｘｙｚ", "ab\u200bcd\u00adef", "ｶﾞｷﾞ", "㍿", "a\u2581b", "🙂🙂 你好 ☃☃ a", "Ω ℃ K",
         "don``t say ''so''", "<b>bold</b> text\n\n  end", "x<unused0>y", "tab\tand  two", "price 1,024, 9,", "1234 56",
         "\u0905\u0928\u0941\u091a\u094d\u091b\u0947\u0926", "�x", "İstanbul ΣΑΣ", "<b><b>", "   ", "\u3000\u3000a\u3000"]


def folded(c):
    """What the rules of neural translation make of one character, and NFKC of the rest."""
    code = ord(c)
    if code in range(1, 9) or code in range(0xE, 0x20) or code in (0xB, 0x7F, 0x8F, 0x9F):
        return ""
    if c in "\t\n\f\r\u1680\u200b\u200e\u200f\u2028\u2029\u2581\ufeff\ufffd":
        return " "
    return unicodedata.normalize("NFKC", c)


def rules(characters):
    """The part of nmt_nfkc that these characters reach: the whole of it has 240,000 bytes."""
    found = {c: folded(c) for c in characters if folded(c) != c}
    for a in characters:
        for b in MARKS + "\u0300\uff9e":
            joined = unicodedata.normalize("NFKC", a + b)
            if len(joined) < len(unicodedata.normalize("NFKD", a + b)) and joined != folded(a) + folded(b):
                found[a + b] = joined
    return found


def rule_file(folder, found):
    code = lambda text: " ".join(f"{ord(c):X}" for c in text)
    path = pathlib.Path(folder) / "rules.tsv"
    path.write_text("".join(f"{code(a)}\t{code(b)}\n" for a, b in found.items()))
    return str(path)


def asked(rnd):
    marks = ("<s>", "</s>", "<unk>", "<pad>", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "<mask>", "<bos>", "<eos>")
    made = []
    for text in TEXTS + texts(rnd, 130):
        for mark in marks:
            text = text.replace(mark, "")
        if text not in made:
            made.append(text)
    return made


def as_whole_rules(made, folder, model):
    """The texts that all of nmt_nfkc normalizes as the model's part of it does; a text is one line."""
    def lines(option):
        return subprocess.run(["spm_normalize", option], input="\n".join(one) + "\n", text=True, capture_output=True,
                              check=True).stdout.split("\n")
    path = pathlib.Path(folder) / "asked.model"
    path.write_bytes(model)
    one = [text for text in made if not set(text) & set("\n\v\f\r\u0085\u2028\u2029")]
    whole, part = lines("--normalization_rule_name=nmt_nfkc"), lines(f"--model={path}")
    part = [line.replace("▁", " ").strip() for line in part]
    kept = {text for text, a, b in zip(one, whole, part) if a.replace("▁", " ").strip() == b}
    left = [text for text in one if text not in kept]
    print("left out, as rules of other characters reach them:", left)
    return [text for text in made if text not in left]


def no_tie(sp, text):
    best = sp.nbest_encode_as_immutable_proto(text, nbest_size=2).nbests if text.strip() else []
    return len(best) < 2 or abs(best[0].score - best[1].score) > 1e-3


def varint(value):
    text = b""
    while value >= 128:
        text += bytes([value & 127 | 128])
        value >>= 7
    return text + bytes([value])


def without_paths(model):
    """The model less the names of the files that it was made from, which differ from run to run."""
    def encoded(number, value):
        if isinstance(value, int):
            return varint(number << 3) + varint(value)
        return varint(number << 3 | 2) + varint(len(value)) + value
    unwanted = {2: (1, 2), 3: (6,)}
    made = b""
    for number, value in fields(model):
        if number in unwanted:
            kept = [(n, v) for n, v in fields(value) if n not in unwanted[number] and not (number == 2 and n == 10)]
            value = b"".join(encoded(n, v) for n, v in kept)
        made += encoded(number, value)
    return made


def make(name, file, rnd, options, configs, around, folded_text=lambda text: text, whole=False, id_of=lambda k: k):
    with tempfile.TemporaryDirectory() as folder:
        characters = sorted(set("".join(asked(rnd) + WORDS + OTHER)) - {"\0"})
        if whole:
            options = dict(options, normalization_rule_tsv=rule_file(folder, rules(characters)))
        sp, model = trained(rnd, folder, hard_vocab_limit=options.get("model_type") == "bpe", **options)
        made = asked(rnd)
        if whole:
            made = as_whole_rules(made, folder, model)
    (HERE / name).mkdir(parents=True, exist_ok=True)
    (HERE / name / file).write_bytes(without_paths(model))
    for config, value in configs.items():
        write(name, config, json.dumps(value) + "\n")
    vectors = []
    for text in made:
        read = folded_text(text)
        if options["model_type"] == "bpe" or no_tie(sp, read):
            before, after = around(sp)
            vectors.append({"text": text, "ids": before + [id_of(k) for k in sp.encode(read)] + after})
    print(name, len(vectors), "texts")
    write_vectors(name, vectors)


def plain_letters(text):
    text = unicodedata.normalize("NFKD", text.replace("``", '"').replace("''", '"'))
    return "".join(c.lower() for c in text if unicodedata.category(c)[0] != "M")


def fairseq_id(k):
    return {0: 3, 1: 0, 2: 2}.get(k, k + 1)


def camembert_id(k):
    return 3 if k == 0 else k + 4


def make_sentence_piece_files(rnd):
    unigram = {"model_type": "unigram", "vocab_size": 360}
    named = {"unk_piece": "[UNK]", "pad_piece": "[PAD]", "bos_piece": "[CLS]", "eos_piece": "[SEP]"}
    bpe = {"model_type": "bpe", "vocab_size": 560, "byte_fallback": True, "normalization_rule_name": "identity",
           "remove_extra_whitespaces": False, "split_digits": True}
    make("pieces_t5", "spiece.model", rnd, {**unigram, "pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1},
         {"config.json": {"model_type": "t5"}}, lambda sp: ([], [1]), whole=True)
    make("pieces_albert", "spiece.model", rnd,
         {**unigram, "pad_id": 0, "unk_id": 1, "bos_id": -1, "eos_id": -1, "control_symbols": "[CLS],[SEP],[MASK]"},
         {"tokenizer_config.json": {"tokenizer_class": "AlbertTokenizer"}},
         lambda sp: ([sp.piece_to_id("[CLS]")], [sp.piece_to_id("[SEP]")]), plain_letters, whole=True)
    make("pieces_deberta", "spm.model", rnd,
         {**unigram, **named, "pad_id": 0, "bos_id": 1, "eos_id": 2, "unk_id": 3, "user_defined_symbols": "<b>,</b>,ing,①",
          "byte_fallback": True, "vocab_size": 620},
         {"config.json": {"model_type": "deberta-v2"},
          "tokenizer_config.json": {"do_lower_case": False, "vocab_type": "spm"}}, lambda sp: ([1], [2]), whole=True)
    make("pieces_llama", "tokenizer.model", rnd, bpe, {"tokenizer_config.json": {"tokenizer_class": "LlamaTokenizer"}},
         lambda sp: ([1], []))
    make("pieces_gemma", "tokenizer.model", rnd,
         {**bpe, "pad_id": 0, "eos_id": 1, "bos_id": 2, "unk_id": 3, "bos_piece": "<bos>", "eos_piece": "<eos>",
          "add_dummy_prefix": False, "user_defined_symbols": ["<unused0>", "▁▁", "\n\n", "<b>", "the"]},
         {"tokenizer_config.json": {"tokenizer_class": "GemmaTokenizer", "add_eos_token": True}}, lambda sp: ([2], [1]))
    make("pieces_xlm", "sentencepiece.bpe.model", rnd, unigram, {"config.json": {"model_type": "xlm-roberta"}},
         lambda sp: ([0], [2]), whole=True, id_of=fairseq_id)
    make("pieces_camembert", "sentencepiece.bpe.model", rnd, unigram, {"config.json": {"model_type": "camembert"}},
         lambda sp: ([5], [6]), whole=True, id_of=camembert_id)
    # The languages stand behind the pieces: en_XX is the fourth.
    make("pieces_mbart", "sentencepiece.bpe.model", rnd, unigram, {"tokenizer_config.json": {"tokenizer_class": "MBartTokenizer"}},
         lambda sp: ([], [2, len(sp) + 1 + 3]), whole=True, id_of=fairseq_id)

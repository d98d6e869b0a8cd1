"""What SentencePiece trains and makes of texts, Unigram and BPE, each as the tokenizer.json of such a model."""
import base64
import json
import pathlib
import re
import tempfile

import sentencepiece

from tokenizers_texts import BLANKS, corpus, texts, write, write_vectors


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

// A SentencePiece file as parts of a tokenizer: its normalization, and the model that spells with its pieces.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/text/sentence_piece_file.h"
#include "core/text/sentence_piece_step.h"
#include "core/text/vocabulary_model.h"

namespace headscope {

// Error that begins with `file` for what is not read: models of words and of characters, blanks as ends of pieces, a
// map of replacements of another form.
SentencePieceStep sentence_piece_step(const SentencePieceFile& read, const std::string& file);

// Gives `model` the pieces that spell a text and their scores. `ids`: one a piece of the file; the vocabulary has them
// already. A piece that a user defined weighs -0.1, whatever the file says; what is unknown costs 10 more than the
// least likely piece.
void add_unigram_pieces(const SentencePieceFile& read, const std::vector<std::int64_t>& ids, UnigramModel& model);

// Gives `model` the merges of SentencePiece's BPE: every way to make a piece of two others. Pieces that a user defined
// stand whole and are joined to nothing. Error that begins with `file` when it has unused pieces.
void add_bpe_pieces(const SentencePieceFile& read, const std::vector<std::int64_t>& ids, const std::string& file,
                    BpeModel& model);

// Every way to make a piece of two others is a merge, ranked by the piece's score: equal scores have equal ranks, so
// that the leftmost pair is joined first. `scores`, `joins`: by id; only pieces that join make others or are made.
void add_scored_merges(const std::vector<double>& scores, const std::vector<bool>& joins, BpeModel& model);

}  // namespace headscope

// The kinds of mask terms as a table: how each is spelled, what it hides or adds, and how it is told.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/request/added_row.h"
#include "core/request/mask.h"
#include "core/request/request.h"

namespace headscope {

// One row a kind. A function that is null: the term does not do that.
struct MaskTermInfo {
  MaskTerm::Kind kind = MaskTerm::Kind::file;

  // Spelled WORD, or WORD:N where a number follows; only a file is spelled by its path.
  std::string_view word = "";    // "padding"
  std::string_view letter = "";  // "N": stands for the number; "" where there is none
  std::string_view counts = "";  // what the number counts: "keys"; "" where there is none
  const char* help = "";         // one sentence

  // Its chip in the window.
  const char* chip = "";         // the label
  int chip_place = 0;            // from 0; no two are equal
  std::int64_t chip_number = 0;  // the number that switching it on begins with

  // What it does to the scores.
  bool of_place_only = false;  // what becomes of a cell depends on its query and key, not on how many keys there are
  void (*narrow)(MaskRule& rule, std::int64_t size) = nullptr;          // hides keys
  void (*add)(const AddedRow& row, std::span<float> scores) = nullptr;  // adds to the scores of the keys from 0 on

  // How scripts say it; a file's cells are data there. i: query position, j: key.
  // The condition under which Python hides the cell: "j > i".
  std::string (*python_hidden)(std::int64_t size) = nullptr;
  // What Python adds, [num_heads, query_len, key_len] or what broadcasts to it; `tensor_of` makes a float32 tensor of a
  // list: "torch.tensor".
  std::string (*python_added)(std::int64_t heads, std::int64_t size, std::string_view tensor_of) = nullptr;
  // Where LaTeX says that cells are hidden: "$j > i + 2$"; `position` is "i + 2".
  std::string (*latex_hidden)(const std::string& position, std::int64_t keys, std::int64_t size) = nullptr;
  // What LaTeX says is added.
  std::string (*latex_added)(const std::string& position, std::int64_t heads, std::int64_t size) = nullptr;

  bool takes_number() const { return !letter.empty(); }
};

// One for every kind, in the order of MaskTerm::Kind.
std::span<const MaskTermInfo> mask_term_infos();
const MaskTermInfo& mask_term_info(MaskTerm::Kind kind);

// "causal, padding:N, window:W, prefix:P": every spelling but a file's, with `last` before the last one.
std::string mask_term_spellings(std::string_view last = ", ");

// "padding:2", "m.npy": as --mask spells it.
std::string spelled(const MaskTerm& term);

// "padding 2", "file": as the pipeline names it.
std::string mask_term_text(const MaskTerm& term);

// What the terms leave visible together; the diagonal is 0, and what files hide is not in it.
MaskRule mask_rule_of(std::span<const MaskTerm> terms);

// Whether some term but a file adds to the scores.
bool adds_to_scores(std::span<const MaskTerm> terms);

}  // namespace headscope

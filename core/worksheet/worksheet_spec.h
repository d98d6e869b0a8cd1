// What a worksheet is asked to be: its words, its sizes, what is left blank.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

// What can be left blank, in the order in which it is computed.
enum class SheetStage : std::uint8_t { raw_scores, scores, exp, sum, weights, context, output };
inline constexpr std::array kSheetStages = {SheetStage::raw_scores, SheetStage::scores,  SheetStage::exp,
                                            SheetStage::sum,        SheetStage::weights, SheetStage::context,
                                            SheetStage::output};
// "raw_scores", "exp": as --cells spells it.
const char* sheet_stage_name(SheetStage stage);
// Returns what the indices of a stage count, in the order of --cells: {"head", "query", "key"}.
std::vector<std::string_view> sheet_axes(SheetStage stage);
// "weights[head,query,key]".
std::string sheet_cell_form(SheetStage stage);

// A cell of a sheet. Rows are queries; columns are keys or features, and 0 of `sum`; `output` has head 0.
struct SheetCell {
  SheetStage stage{};
  int head = 0, row = 0, column = 0;
  friend auto operator<=>(const SheetCell&, const SheetCell&) = default;
};
// "weights[0,1,2]", "sum[0,1]", "output[1,0]": as --cells spells it.
std::string sheet_cell_text(const SheetCell& cell);

// What one term of --cells leaves blank.
struct BlankChoice {
  std::optional<SheetStage> stage;  // nullopt: of all stages in turn
  std::optional<SheetCell> cell;    // this one
  int count = 0;                    // so many drawn cells; kAllCells: all
  friend bool operator==(const BlankChoice&, const BlankChoice&) = default;
};
inline constexpr int kAllCells = -1;
inline constexpr int kMostBlanks = 26;  // a letter each

struct WorksheetSpec {
  std::vector<std::string> words = {"green", "book", "cat"};
  bool causal = false;
  int heads = 1;
  int d_model = 2;         // 2 to 4, a multiple of heads
  std::uint64_t seed = 0;  // of the first sheet; the next one has the next seed, and the last one must have one
  int sheets = 1;
  std::vector<BlankChoice> blanks = {{std::nullopt, std::nullopt, 8}};
  int head_dim() const { return d_model / heads; }
  int length() const { return static_cast<int>(words.size()); }
  friend bool operator==(const WorksheetSpec&, const WorksheetSpec&) = default;
};
inline constexpr int kMostSheets = 500;

// "8", "raw_scores:2,weights:all,output[1,0]". UsageError names --cells.
std::vector<BlankChoice> blank_choices_of(std::string_view text);
std::string blank_choices_text(const std::vector<BlankChoice>& choices);

// The words as rows, columns and blanks name them: a word that is there twice has its position behind it, counted as
// --cells counts: "the 0", "cat", "the 2".
std::vector<std::string> word_names(const WorksheetSpec& spec);

// Whether the mask hides the key from the query.
bool is_hidden(const WorksheetSpec& spec, int query, int key);

enum class SheetSize : std::uint8_t { a4, letter };
// "a4", "letter".
const char* sheet_size_name(SheetSize size);

}  // namespace headscope

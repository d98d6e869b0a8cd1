#include "app/cli/lens_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <vector>

#include "app/cli/output.h"
#include "app/cli/table_numbers.h"
#include "core/base/error.h"

namespace headscope::cli {
namespace {

constexpr std::size_t kMostPositions = 12;

// "logit lens: the token after each position, if the model ended there".
std::string title_of(const LogitLens& lens, const Inputs& inputs) {
  const char* token = lens.next_token ? "the token after each position" : "the token at each position";
  if (lens.of == LensOf::layers) return fmt::format("logit lens: {}, if the model ended there", token);
  std::string title = lens_kind(lens.of).title;
  title[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(title[0])));
  return fmt::format("{}: {}, as the model {}", title, token, lens_kind(lens.of).says(inputs.layer));
}

}  // namespace

OptionSpec lens_option() {
  return {"lens", "",
          "Of a checkpoint: the logit lens, the most probable token at every position if the model ended after each "
          "layer."};
}

OptionSpec lens_of_option() {
  return {
      "lens-of", "layers|attention|heads",
      "With --lens: the stream after every layer (default); after the attention of every layer, without its MLP (in "
      "parallel blocks too, where it runs beside attention); or what each head of --layer wrote alone, its context "
      "times its part of W_O, without biases of attention. The final norm is then of the head's vector alone, "
      "which scales a small vector up: it says what the output points at, not how much it counts."};
}

std::optional<LensOf> given_lens(const Arguments& given) {
  const std::vector<std::string> names(std::begin(kLensOfNames), std::end(kLensOfNames));
  const auto of = static_cast<LensOf>(choice_of("lens-of", given.get("lens-of", names.front()), names));
  if (given.has("lens")) return of;
  if (given.has("lens-of")) throw UsageError("lens-of", "found without --lens", "--lens, which it says more of");
  return {};
}

std::string lens_text(const LogitLens& lens, const Trace& trace) {
  const std::vector<std::string> tokens = trace.query_labels();
  const std::size_t first = tokens.size() - std::min(tokens.size(), kMostPositions);
  const LensKind& kind = lens_kind(lens.of);
  std::vector<std::vector<std::string>> rows = {{kind.row_word}};
  for (std::size_t i = first; i < tokens.size(); ++i) rows[0].push_back(fmt::format("{} {}", i, printable(tokens[i])));
  TableNumbers numbers;
  for (const LensRow& row : lens.rows) {
    for (std::size_t i = first; i < tokens.size(); ++i) numbers.add(row.positions[i].top.front().probability);
  }
  for (const LensRow& row : lens.rows) {
    rows.push_back({kind.row_name(row)});
    for (std::size_t i = first; i < tokens.size(); ++i) {
      const TokenProbability& token = row.positions[i].top.front();
      rows.back().push_back(printable(token.piece) + " " + numbers.text(token.probability));
    }
  }
  std::string text = fmt::format("\n{}\n\n", title_of(lens, *trace.inputs)) +
                     table_text(std::vector<Column>(rows[0].size()), rows) + numbers.legend();
  if (lens.of != LensOf::layers) text += fmt::format("note: rows: {}\n", lens_legend(trace, lens.of));
  if (first == 0) return text;
  return text +
         fmt::format("note: positions {} to {} of {}; --json has all\n", first, tokens.size() - 1, tokens.size());
}

}  // namespace headscope::cli

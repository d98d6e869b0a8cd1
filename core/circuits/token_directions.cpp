#include "core/circuits/token_directions.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/base/assert.h"
#include "core/circuits/embedded_tokens.h"
#include "core/circuits/reduced_maps.h"

namespace headscope {
namespace {

// The tokens of largest and of smallest projection on a direction: which of both is its end is known at the last token.
struct Ends {
  std::vector<double> direction;
  LargestScores plus, minus;
  double largest = 0, smallest = 0;

  Ends(std::vector<double> along, std::int64_t tokens) : direction(std::move(along)), plus(tokens), minus(tokens) {}
  void add(std::int64_t id, std::span<const double> row) {
    const double value = dot_product(direction, row);
    largest = std::max(largest, value);
    smallest = std::min(smallest, value);
    plus.add(id, value);
    minus.add(id, -value);
  }
  bool turned() const { return -smallest > largest; }
  std::vector<TokenScore> take(bool turn) { return turn ? minus.take() : plus.take(); }
};

// Either end of the directions of a circuit. `to` is empty where nothing is known of that end.
struct Circuit {
  std::vector<SingularDirection> directions;
  std::vector<Ends> from, to;

  std::vector<TokenDirection> take() {
    double sum = 0;
    for (const SingularDirection& each : directions) sum += each.value * each.value;
    std::vector<TokenDirection> found;
    for (std::size_t k = 0; k < from.size(); ++k) {
      const bool turn = from[k].turned();
      const double value = directions[k].value;
      TokenDirection direction{value, sum > 0 ? value * value / sum : 0, from[k].take(turn), {}};
      if (!to.empty()) direction.to = to[k].take(turn);
      found.push_back(std::move(direction));
    }
    return found;
  }
};

void add_all(std::vector<Ends>& ends, std::int64_t id, std::span<const double> row) {
  for (Ends& each : ends) each.add(id, row);
}

}  // namespace

HeadDirections head_directions(const Checkpoint& checkpoint, const DirectionsQuestion& question, NormFolding folding,
                               const CancelToken& cancel) {
  const HeadMaps maps = head_maps(checkpoint, question.layer, folding);
  const EmbeddedTokens tokens(checkpoint, question.layer, folding);
  const TokenDecoder decoder(checkpoint, folding);
  HEADSCOPE_ASSERT(0 <= question.head && question.head < maps.heads(), std::to_string(question.head));
  const std::int64_t head = question.head, group = maps.group_of(head);
  Circuit qk{singular_directions(maps.query, head, maps.key, group), {}, {}},
      ov{singular_directions(maps.output, head, maps.value, group), {}, {}};
  const auto first = [&](const Circuit& of) {
    return std::min(static_cast<std::size_t>(question.top), of.directions.size());
  };
  for (std::size_t k = 0; k < first(qk); ++k) {
    qk.from.emplace_back(qk.directions[k].left, question.tokens);
    qk.to.emplace_back(qk.directions[k].right, question.tokens);
  }
  for (std::size_t k = 0; k < first(ov); ++k) {
    ov.from.emplace_back(ov.directions[k].right, question.tokens);
    if (!decoder.empty()) ov.to.emplace_back(decoder.direction(ov.directions[k].left), question.tokens);
  }
  visit_blocks(tokens.count(), cancel, [&](std::int64_t begin, std::int64_t end) {
    visit_rows(tokens.rows(begin, end), tokens.width(), begin, [&](std::int64_t id, std::span<const double> y) {
      for (std::vector<Ends>* ends : {&qk.from, &qk.to, &ov.from}) add_all(*ends, id, y);
    });
  });
  if (!decoder.empty()) {
    visit_blocks(decoder.count(), cancel, [&](std::int64_t begin, std::int64_t end) {
      visit_rows(decoder.rows(begin, end), tokens.width(), begin,
                 [&](std::int64_t id, std::span<const double> row) { add_all(ov.to, id, row); });
    });
  }
  return {qk.take(), ov.take()};
}

}  // namespace headscope

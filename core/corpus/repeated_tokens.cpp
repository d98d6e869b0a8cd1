#include "core/corpus/repeated_tokens.h"

#include <algorithm>
#include <random>
#include <unordered_set>

namespace headscope {
namespace {

constexpr std::uint64_t kSeed = 20'260'000;  // of all scans, so that shards and machines draw the same

}  // namespace

std::vector<std::int64_t> repeated_tokens(const Tokenizer& tokenizer, std::int64_t vocabulary, const Tokens& phrase,
                                          std::int64_t index, std::int64_t count) {
  const std::vector<std::int64_t> special = tokenizer.special().all;
  const std::int64_t size = std::min(vocabulary, tokenizer.vocabulary_size());
  const auto below = std::lower_bound(special.begin(), special.end(), size) - special.begin();
  const std::int64_t ordinary = size - below;
  if (ordinary <= 0) return {};
  std::mt19937_64 draw(kSeed + static_cast<std::uint64_t>(index));
  std::unordered_set<std::int64_t> taken;
  std::vector<std::int64_t> drawn;
  while (static_cast<std::int64_t>(drawn.size()) < count) {
    const auto id = static_cast<std::int64_t>(draw() % static_cast<std::uint64_t>(size));
    if (std::binary_search(special.begin(), special.end(), id)) continue;
    if (static_cast<std::int64_t>(taken.size()) == ordinary) taken.clear();  // all were drawn: once more
    if (taken.insert(id).second) drawn.push_back(id);
  }
  const auto is_text = [](std::int64_t word) { return word >= 0; };
  const auto lead = std::find_if(phrase.words.begin(), phrase.words.end(), is_text) - phrase.words.begin();
  const auto text_end = std::find_if(phrase.words.rbegin(), phrase.words.rend(), is_text).base() - phrase.words.begin();
  std::vector<std::int64_t> ids(phrase.ids.begin(), phrase.ids.begin() + lead);
  for (int time = 0; time < 2; ++time) ids.insert(ids.end(), drawn.begin(), drawn.end());
  if (text_end > lead) ids.insert(ids.end(), phrase.ids.begin() + text_end, phrase.ids.end());
  return ids;
}

}  // namespace headscope

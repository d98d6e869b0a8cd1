#include "core/text/byte_trie.h"

#include <algorithm>

namespace headscope {

ByteTrie::ByteTrie(std::vector<std::pair<std::string_view, std::int32_t>> pieces) {
  std::stable_sort(pieces.begin(), pieces.end(), [](const auto& a, const auto& b) { return a.first < b.first; });

  // Nodes in the order of their depth; each stands for the pieces [begin, end) that share its first `depth` bytes.
  struct Span {
    std::size_t begin, end, depth;
  };
  std::vector<Span> spans = {{0, pieces.size(), 0}};
  nodes_.push_back({});
  for (std::size_t node = 0; node < spans.size(); ++node) {
    auto [begin, end, depth] = spans[node];
    for (; begin < end && pieces[begin].first.size() == depth; ++begin) {
      if (depth > 0) nodes_[node].value = pieces[begin].second;
    }
    nodes_[node].first_child = static_cast<std::uint32_t>(nodes_.size());
    while (begin < end) {
      const char label = pieces[begin].first[depth];
      std::size_t same = begin;
      while (same < end && pieces[same].first[depth] == label) ++same;
      spans.push_back({begin, same, depth + 1});
      nodes_.push_back({0, 0, static_cast<unsigned char>(label), -1});
      ++nodes_[node].children;
      begin = same;
    }
  }
}

std::size_t ByteTrie::child(std::size_t node, unsigned char label) const {
  const auto first = nodes_.begin() + nodes_[node].first_child;
  const auto last = first + nodes_[node].children;
  const auto found = std::lower_bound(first, last, label, [](const Node& a, unsigned char b) { return a.label < b; });
  return found == last || found->label != label ? 0 : static_cast<std::size_t>(found - nodes_.begin());
}

}  // namespace headscope

#include "core/io/prefix_code.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "core/base/assert.h"

namespace headscope {

namespace {

constexpr int kMostBits = 15;
constexpr std::size_t kLengths = 16;  // 0 to kMostBits

struct Leaf {
  std::uint64_t count = 0;
  std::size_t symbol = 0;
};

// The symbols that get a code, rarest first.
std::vector<Leaf> leaves_of(std::span<const std::uint32_t> counts) {
  std::vector<Leaf> leaves;
  for (std::size_t symbol = 0; symbol < counts.size(); ++symbol) {
    if (counts[symbol] > 0) leaves.push_back({counts[symbol], symbol});
  }
  for (std::size_t symbol = 0; symbol < counts.size() && leaves.size() < 2; ++symbol) {
    if (counts[symbol] == 0) leaves.push_back({0, symbol});
  }
  std::stable_sort(leaves.begin(), leaves.end(), [](const Leaf& a, const Leaf& b) { return a.count < b.count; });
  return leaves;
}

// The depth of each leaf of the Huffman tree. Two queues: leaves in their order, inner nodes in the order in which
// they are made, which is that of their counts.
std::vector<int> depths_of(const std::vector<Leaf>& leaves) {
  const std::size_t count = leaves.size(), nodes = 2 * count - 1;
  std::vector<std::uint64_t> weight(nodes);
  std::vector<std::size_t> parent(nodes, 0);
  for (std::size_t k = 0; k < count; ++k) weight[k] = leaves[k].count;
  std::size_t leaf = 0, inner = count;
  for (std::size_t made = count; made < nodes; ++made) {
    for (int child = 0; child < 2; ++child) {
      const bool take_leaf = leaf < count && (inner >= made || weight[leaf] <= weight[inner]);
      const std::size_t taken = take_leaf ? leaf++ : inner++;
      weight[made] += weight[taken];
      parent[taken] = made;
    }
  }
  std::vector<int> depth(nodes, 0);
  for (std::size_t k = nodes - 1; k-- > 0;) depth[k] = depth[parent[k]] + 1;
  depth.resize(count);
  return depth;
}

}  // namespace

std::vector<std::uint8_t> code_lengths(std::span<const std::uint32_t> counts, int longest) {
  HEADSCOPE_ASSERT(longest >= 1 && longest <= kMostBits, "codes of up to " + std::to_string(longest) + " bits");
  const std::vector<Leaf> leaves = leaves_of(counts);
  HEADSCOPE_ASSERT(leaves.size() >= 2 && leaves.size() <= (std::size_t{1} << longest),
                   std::to_string(leaves.size()) + " symbols");
  std::array<std::size_t, kLengths> of_length{};
  std::int64_t taken = 0;  // of the 2^longest places
  for (const int depth : depths_of(leaves)) {
    const int length = std::min(depth, longest);
    ++of_length.at(static_cast<std::size_t>(length));
    taken += std::int64_t{1} << (longest - length);
  }
  // Cutting codes short took more places than there are. One code a bit longer makes room for a longest one beside it.
  for (; taken > std::int64_t{1} << longest; --taken) {
    std::size_t length = static_cast<std::size_t>(longest) - 1;
    while (of_length.at(length) == 0) --length;
    --of_length.at(length);
    of_length.at(length + 1) += 2;
    --of_length.at(static_cast<std::size_t>(longest));
  }
  std::vector<std::uint8_t> lengths(counts.size(), 0);
  std::size_t next = 0;
  for (int length = longest; length > 0; --length) {
    for (std::size_t k = 0; k < of_length.at(static_cast<std::size_t>(length)); ++k) {
      lengths[leaves[next++].symbol] = static_cast<std::uint8_t>(length);
    }
  }
  return lengths;
}

std::vector<std::uint16_t> canonical_codes(std::span<const std::uint8_t> lengths) {
  // The first code of n bits follows the last of n - 1 bits, doubled.
  std::array<unsigned, kLengths> count{}, code{};
  for (const std::uint8_t length : lengths) ++count.at(length);
  count[0] = 0;
  for (std::size_t length = 1; length < kLengths; ++length) {
    code.at(length) = (code.at(length - 1) + count.at(length - 1)) << 1;
  }
  std::vector<std::uint16_t> codes(lengths.size(), 0);
  for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol) {
    const int length = lengths[symbol];
    if (length == 0) continue;
    const unsigned forward = code.at(static_cast<std::size_t>(length))++;
    unsigned reversed = 0;
    for (int bit = 0; bit < length; ++bit) reversed |= ((forward >> bit) & 1U) << (length - 1 - bit);
    codes[symbol] = static_cast<std::uint16_t>(reversed);
  }
  return codes;
}

}  // namespace headscope

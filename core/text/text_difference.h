// Shortens two texts that are shown beside each other to the parts that differ.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

namespace headscope {

// When the longer text has more than `most` bytes: both without the words that they share at the beginning, except the
// last shared one: "… too tired", "… too wide". Shorter texts and equal texts are returned unchanged.
std::pair<std::string, std::string> from_where_they_part(const std::string& a, const std::string& b, std::size_t most);

}  // namespace headscope

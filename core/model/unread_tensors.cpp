#include "core/model/unread_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string_view>

#include "core/base/message_text.h"
#include "core/model/config_reader.h"

namespace headscope {
namespace {

constexpr std::size_t kLongest = 100;  // bytes of a name that is held against others
constexpr std::size_t kMostWrong = 3;  // letters

// Letters that are put in, taken out or replaced.
std::size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

// The number in a name, as it is spelled; "0" without one.
std::string number_in(std::string_view name) {
  constexpr const char* kDigits = "0123456789";
  const std::size_t begin = name.find_first_of(kDigits);
  if (begin == name.npos) return "0";
  const std::size_t end = std::min(name.find_first_not_of(kDigits, begin), name.size());
  return std::string(name.substr(begin, end - begin));
}

// "" where no name is near.
std::string near_name(const std::string& name) {
  if (name.size() > kLongest) return "";
  std::string nearest;
  std::size_t least = kMostWrong + 1;
  for (const char* part : {"weights", "scores", "query", "key", "value", "mask"}) {
    const std::string known = fmt::format("layers.{}.{}", number_in(name), part);
    const std::size_t wrong = edits_between(name, known);
    if (wrong >= least) continue;
    least = wrong;
    nearest = known;
  }
  return nearest;
}

}  // namespace

std::string unread_names(const std::vector<std::string>& names) {
  std::vector<std::string> shown;
  for (const std::string& name : names) {
    const std::string near = near_name(name);
    shown.push_back(shortened(name) + (near.empty() ? "" : fmt::format(" (near {})", near)));
  }
  return first_ten(shown);
}

std::string unread_tensors_sentence(const std::string& path, const std::vector<std::string>& names) {
  if (names.empty()) return "";
  return fmt::format("{}: {} no name of a capture and {} not read: {}", path,
                     names.size() == 1 ? "1 tensor has" : fmt::format("{} tensors have", names.size()),
                     names.size() == 1 ? "is" : "are", unread_names(names));
}

}  // namespace headscope

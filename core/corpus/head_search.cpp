#include "core/corpus/head_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace headscope {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

template <typename Number>
std::optional<Number> whole_text_as(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

constexpr std::string_view kByPattern = " by pattern";

// "5.1"; -1 for "*".
struct Address {
  std::int64_t layer = 0, head = 0;
};

std::optional<std::int64_t> address_part(std::string_view text) {
  if (text == "*") return -1;
  const auto number = whole_text_as<std::int64_t>(text);
  return number && *number >= 0 ? number : std::nullopt;
}

std::optional<Address> address_of(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == text.npos) return std::nullopt;
  const auto layer = address_part(text.substr(0, dot)), head = address_part(text.substr(dot + 1));
  if (!layer || !head) return std::nullopt;
  return Address{*layer, *head};
}

class Search {
 public:
  explicit Search(const HeadTable& table) : table_(table), named_(table.heads.size()), met_(table.heads.size(), true) {}

  HeadSearch found(std::string_view text) {
    HeadSearch search;
    bool asked = false;
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t comma = std::min(text.find(',', begin), text.size());
      const std::string_view part = trimmed(text.substr(begin, comma - begin));
      begin = comma + 1;
      if (part.empty()) continue;
      asked = true;
      search.problem = part.find_first_of("<>") == part.npos ? name(part) : meet(part);
      if (!search.problem.empty()) return search;
    }
    for (std::size_t head = 0; head < table_.heads.size() && asked; ++head) {
      if ((!names_ || named_[head]) && met_[head]) search.heads.push_back(head);
    }
    return search;
  }

 private:
  // Each returns what is wrong with the part.
  std::string name(std::string_view part) {
    names_ = true;
    const bool like = part.starts_with("like "), by_pattern = like && part.ends_with(kByPattern);
    std::string_view named = by_pattern ? part.substr(0, part.size() - kByPattern.size()) : part;
    if (like) named = trimmed(named.substr(5));
    const std::optional<Address> address = address_of(named);
    if (!address || (like && (address->layer < 0 || address->head < 0))) {
      return fmt::format(
          "{}: expected a head (5.1), all of a layer (5.*), like 5.1, like 5.1 by pattern, or a condition (entropy < "
          "1)",
          part);
    }
    if (like) return name_like(*address, by_pattern ? AlikeBy::pattern : AlikeBy::means);
    bool any = false;
    for (std::size_t k = 0; k < table_.heads.size(); ++k) {
      const HeadTable::Head& head = table_.heads[k];
      if (address->layer >= 0 && head.layer != address->layer) continue;
      if (address->head >= 0 && head.head != address->head) continue;
      named_[k] = any = true;
    }
    return any ? "" : fmt::format("{}: there is no such head", part);
  }

  std::string name_like(const Address& address, AlikeBy by) {
    const auto own = table_.find(address.layer, address.head);
    if (!own) return fmt::format("like {}.{}: there is no such head", address.layer, address.head);
    if (by == AlikeBy::pattern && table_.patterns.empty()) {
      return fmt::format("like {}.{} by pattern: this file has no mean patterns", address.layer, address.head);
    }
    named_[*own] = true;
    for (const SimilarHead& alike : heads_like(table_, *own, kMostAlike, by)) named_[alike.head] = true;
    return "";
  }

  std::string meet(std::string_view part) {
    const std::size_t sign = part.find_first_of("<>");
    const bool less = part[sign] == '<', equal = sign + 1 < part.size() && part[sign + 1] == '=';
    std::string key(trimmed(part.substr(0, sign)));
    std::replace(key.begin(), key.end(), ' ', '_');
    const auto mean = table_.mean_named(key);
    if (!mean) return fmt::format("{}: there is no mean of that name here", key.empty() ? std::string(part) : key);
    const auto bound = whole_text_as<double>(trimmed(part.substr(sign + (equal ? 2 : 1))));
    if (!bound || !std::isfinite(*bound)) return fmt::format("{}: expected a number after the sign", part);
    const std::span<const double> values = table_.of(*mean);
    for (std::size_t head = 0; head < values.size(); ++head) {
      const double value = values[head];
      met_[head] = met_[head] &&
                   (less ? value < *bound || (equal && value == *bound) : value > *bound || (equal && value == *bound));
    }
    return "";
  }

  const HeadTable& table_;
  bool names_ = false;
  std::vector<bool> named_, met_;
};

}  // namespace

HeadSearch search_heads(const HeadTable& table, std::string_view text) {
  return Search(table).found(text);
}

}  // namespace headscope

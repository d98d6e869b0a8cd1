#include "core/request/option_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "core/request/mask_terms.h"
#include "core/request/option_text.h"
#include "core/request/option_words.h"
#include "core/request/past.h"
#include "core/request/request_text.h"
#include "core/request/variant_infos.h"

namespace headscope {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

std::string mask_expected() {
  return fmt::format("none, {} or a .npy or .csv file", mask_term_spellings());
}

MaskTerm mask_term(const std::string& text) {
  std::string lower = text;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  const auto ends_with = [&lower](std::string_view suffix) {
    return lower.size() > suffix.size() && std::string_view(lower).ends_with(suffix);
  };
  if (ends_with(".npy") || ends_with(".csv")) return {MaskTerm::Kind::file, 0, text};
  for (const MaskTermInfo& info : mask_term_infos()) {
    if (info.kind == MaskTerm::Kind::file) continue;  // spelled by its path alone
    if (!info.takes_number()) {
      if (text == info.word) return {info.kind, 0, ""};
      continue;
    }
    const std::string start = fmt::format("{}:", info.word);
    if (!text.starts_with(start)) continue;
    const std::string size = text.substr(start.size());
    if (size.empty() || size.find_first_not_of("0123456789") != size.npos) {
      refuse_value("mask", text, "a mask", fmt::format("{}N with a whole number N, 0 or more", start));
    }
    return {info.kind, parse_whole("mask", size, 0, kLargestSize), ""};
  }
  refuse_value("mask", text, "a mask", mask_expected());
}

}  // namespace

void set_mask(Request& request, const std::string& text) {
  check_text("mask", text, false);
  std::vector<MaskTerm> mask;
  for (const std::string& term : parse_list("mask", text, "a mask", mask_expected())) {
    if (term != "none") mask.push_back(mask_term(term));
  }
  request.mask = std::move(mask);
}

void set_mask_fill(Request& request, const std::string& text) {
  constexpr const char* expected = "-inf or a number that float32 holds, such as -1e20";
  if (text == "-inf") {
    request.mask_fill = -std::numeric_limits<double>::infinity();
    return;
  }
  const double value = parse_finite("mask-fill", text, expected);
  if (std::abs(value) > static_cast<double>(std::numeric_limits<float>::max())) {
    refuse_value("mask-fill", text, "a fill value", expected);
  }
  request.mask_fill = value;
}

void set_scale(Request& request, const std::string& text) {
  if (text == "auto") {
    request.scale.reset();
  } else {
    request.scale = parse_finite("scale", text, "auto or a number");
  }
}

void set_past(Request& request, const std::string& text) {
  const std::int64_t places = parse_whole("past", text, 0, kLargestSize);
  request.past = places == 0 ? kPastOfNone : places;
}

void set_softcap(Request& request, const std::string& text) {
  if (text == "off") {
    request.softcap.reset();
    return;
  }
  const double value = parse_finite("softcap", text, "off or a number above 0");
  if (!(value > 0)) refuse_value("softcap", text, "a soft cap", "off or a number above 0");
  request.softcap = value;
}

void set_dropout(Request& request, const std::string& text) {
  const double value = parse_finite("dropout", text, "a probability, 0 to 1");
  if (!(value >= 0 && value <= 1)) refuse_value("dropout", text, "a probability", "0 to 1");
  request.dropout = value;
}

std::string variants_text(const Request& request) {
  std::string text;
  for (const Variant variant : request.variants) {
    if (!text.empty()) text += ',';
    text += variant_name(variant);
  }
  return text;
}

void set_variants(Request& request, const std::string& text) {
  const std::string expected = "none, merge-direct, " + expected_words(variant_infos());
  std::vector<Variant> variants;
  bool merge_direct = false;
  if (text == "none") {
    request.variants.clear();
    return;
  }
  for (const std::string& term : parse_list("variant", text, "a variant", expected)) {
    if (term == "merge-direct") {
      merge_direct = true;
      continue;
    }
    const auto infos = variant_infos();
    const auto known =
        std::find_if(infos.begin(), infos.end(), [&term](const VariantInfo& info) { return term == info.text; });
    if (known == infos.end()) refuse_value("variant", term, "a variant", expected);
    variants.push_back(known->value);
  }
  // One order and no repetition, so that requests that mean the same are equal.
  std::sort(variants.begin(), variants.end());
  variants.erase(std::unique(variants.begin(), variants.end()), variants.end());
  request.variants = std::move(variants);
  if (merge_direct) request.merge = Merge::direct;
}

// Where queries stand behind their place among the keys, each sees keys behind its own.
RowsApart rows_of_past(const Request& request) {
  return request.past > 0 ? RowsApart::projections : RowsApart::everywhere;
}

// A row that sees no key of its own sees all of them where it is uniform.
RowsApart rows_of_fully_masked(const Request& request) {
  return request.fully_masked == FullyMasked::uniform ? RowsApart::projections : RowsApart::everywhere;
}

namespace {

std::vector<std::int64_t> parse_ids(const char* option, const std::string& text) {
  std::vector<std::int64_t> ids;
  for (const std::string& term : parse_list(option, text, "a list of ids", "whole numbers, such as 1,2,0")) {
    ids.push_back(parse_whole(option, term, 0, kMost));
  }
  return ids;
}

}  // namespace

void set_token_ids(Request& request, const std::string& text) {
  request.token_ids = parse_ids("token-ids", text);
}

void set_decoder_ids(Request& request, const std::string& text) {
  request.decoder_ids = parse_ids("decoder-ids", text);
}

void set_lengths(Request& request, const std::string& text) {
  constexpr const char* expected = "the length of every text, 1 or more, such as 7,3,5";
  std::vector<std::int64_t> lengths;
  for (const std::string& term : parse_list("lengths", text, "a list of lengths", expected)) {
    lengths.push_back(parse_whole("lengths", term, 1, kLargestSize));
  }
  request.lengths = std::move(lengths);
}

std::string mask_text(const std::vector<MaskTerm>& mask) {
  std::string text;
  for (const MaskTerm& term : mask) {
    if (term.kind == MaskTerm::Kind::file && term.path.empty()) continue;  // chosen, but not named yet
    if (!text.empty()) text += ',';
    text += spelled(term);
  }
  return text.empty() ? "none" : text;
}

std::string_view variant_name(Variant variant) {
  return variant_info(variant).text;
}

}  // namespace headscope

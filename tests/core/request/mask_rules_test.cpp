// Hidden cells as a rule and as bytes, against the formulas of the terms cell by cell.
#include <gtest/gtest.h>

#include <random>

#include "core/request/mask.h"
#include "core/request/request_text.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

struct Case {
  Request request;
  std::int64_t query_len = 0, masked_keys = 0;
  bool extra_key = false;
  std::int64_t key_len() const { return masked_keys + (extra_key ? 1 : 0); }
};

Case random_case(std::mt19937& random) {
  const auto draw = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  Case made;
  made.query_len = draw(1, 9);
  made.masked_keys = draw(0, 2) == 0 ? draw(1, 9) : made.query_len;
  made.extra_key = draw(0, 2) == 0;
  if (draw(0, 1) == 1) made.request.causal_align = CausalAlign::bottom_right;
  if (draw(0, 2) == 0) made.request.variants = {Variant::mask_inverted};
  const MaskTerm::Kind kinds[] = {MaskTerm::Kind::causal, MaskTerm::Kind::padding, MaskTerm::Kind::window,
                                  MaskTerm::Kind::prefix};
  for (std::int64_t terms = draw(0, 3); terms > 0; --terms) {
    const MaskTerm::Kind kind = kinds[draw(0, 3)];
    made.request.mask.push_back({kind, kind == MaskTerm::Kind::causal ? 0 : draw(0, 10), ""});
  }
  return made;
}

// The contract's formulas, one cell at a time.
bool hides(const Case& made, std::int64_t i, std::int64_t j) {
  if (j == made.masked_keys) return false;
  const bool bottom_right = made.request.causal_align == CausalAlign::bottom_right;
  const std::int64_t p = i + (bottom_right ? made.masked_keys - made.query_len : 0);
  bool hidden = false;
  for (const MaskTerm& term : made.request.mask) {
    if (term.kind == MaskTerm::Kind::causal) hidden = hidden || j > p;
    if (term.kind == MaskTerm::Kind::padding) hidden = hidden || j >= made.masked_keys - term.size;
    if (term.kind == MaskTerm::Kind::window) hidden = hidden || std::abs(p - j) > term.size;
    if (term.kind == MaskTerm::Kind::prefix) hidden = hidden || (j > p && j >= term.size);
  }
  return hidden != has_variant(made.request, Variant::mask_inverted);
}

void expect_equal(const HiddenCells& cells, const std::vector<std::uint8_t>& expected, const std::string& what) {
  SCOPED_TRACE(what);
  const std::int64_t keys = cells.key_len();
  std::int64_t count = 0;
  std::vector<std::int64_t> full_rows;
  std::mt19937 random(1);
  for (std::int64_t i = 0; i < cells.query_len(); ++i) {
    const std::vector<std::uint8_t> row(expected.begin() + i * keys, expected.begin() + (i + 1) * keys);
    const std::int64_t hidden = std::count(row.begin(), row.end(), 1);
    count += hidden;
    if (hidden == keys) full_rows.push_back(i);
    std::vector<std::uint8_t> read(row.size(), 7);
    cells.read_row(0, 1, i, read);
    EXPECT_EQ(read, row) << i;
    const auto first = std::uniform_int_distribution<std::int64_t>(0, keys)(random);
    std::vector<std::uint8_t> part(std::uniform_int_distribution<std::size_t>(0, row.size() - first)(random), 7);
    cells.read_row(1, 0, i, part, first);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), row.begin() + first)) << i << " from " << first;
    for (std::int64_t j = 0; j < keys; ++j) {
      EXPECT_EQ(cells.hidden(0, 0, i, j), row[static_cast<std::size_t>(j)] != 0) << i << ", " << j;
    }
    EXPECT_EQ(cells.visible_count(0, 0, i), keys - hidden) << i;
    EXPECT_EQ(cells.all_hidden(0, 0, i), hidden == keys) << i;
  }
  EXPECT_EQ(cells.hidden_count(0, 0), count);
  EXPECT_EQ(cells.any(), count > 0);
  const FullyMaskedRows rows = fully_masked_rows(cells, 2, 3);
  EXPECT_EQ(rows.queries, full_rows);
  EXPECT_EQ(rows.count, 6 * static_cast<std::int64_t>(full_rows.size()));
}

void expect_apart(const VisibleKeys& keys, const std::string& what) {
  const auto [first, second] = keys;
  EXPECT_TRUE(first == Range{} || first.begin < first.end) << what;
  EXPECT_TRUE(second == Range{} || (second.begin < second.end && first.end < second.begin && first.size() > 0)) << what;
}

TEST(MaskRules, EveryCompositionHidesWhatItsTermsSay) {
  std::mt19937 random(7);
  int hidden_somewhere = 0, two_runs = 0;
  for (int k = 0; k < 4000; ++k) {
    const Case made = random_case(random);
    std::vector<std::uint8_t> expected;
    for (std::int64_t i = 0; i < made.query_len; ++i) {
      for (std::int64_t j = 0; j < made.key_len(); ++j) expected.push_back(hides(made, i, j) ? 1 : 0);
    }
    const std::string what = mask_text(made.request.mask) + " " + to_string(Shape{made.query_len, made.masked_keys});
    const Mask rule = build_mask(
        made.request, {},
        {.batch = 2, .heads = 3, .query_len = made.query_len, .key_len = made.key_len(), .extra_key = made.extra_key});
    expect_equal(rule.hidden, expected, what);
    for (std::int64_t i = 0; i < made.query_len; ++i) {
      const std::optional<VisibleKeys> keys = rule.hidden.visible_keys(0, 0, i);
      ASSERT_TRUE(keys.has_value());
      expect_apart(*keys, what);
      two_runs += keys->second.size() > 0 ? 1 : 0;
    }
    hidden_somewhere += rule.hidden.any() ? 1 : 0;

    // A file that hides nothing turns the same cells into bytes.
    Case with_file = made;
    with_file.request.mask.push_back({MaskTerm::Kind::file, 0, "m.npy"});
    const Mask bytes = build_mask(
        with_file.request, {{"m.npy", tensor_of({1}, {1}), true}},
        {.batch = 2, .heads = 3, .query_len = made.query_len, .key_len = made.key_len(), .extra_key = made.extra_key});
    expect_equal(bytes.hidden, expected, what + ", a file");
    EXPECT_FALSE(bytes.hidden.visible_keys(0, 0, 0).has_value());

    for (std::int64_t i = 0; i < made.query_len; ++i) {
      const auto row = expected.begin() + i * made.key_len();
      if (std::all_of(row, row + made.key_len(), [](std::uint8_t cell) { return cell != 0; })) {
        std::fill(row, row + made.key_len(), std::uint8_t{0});
      }
    }
    expect_equal(rule.hidden.with_hidden_rows_opened(), expected, what + ", opened");
    expect_equal(bytes.hidden.with_hidden_rows_opened(), expected, what + ", a file, opened");
    if (HasFailure()) return;
  }
  EXPECT_GT(hidden_somewhere, 2000);
  EXPECT_GT(two_runs, 1000);
}

TEST(MaskRules, SizesBeyondEveryKeyDoNotOverflow) {
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  Request request;
  request.mask = {{MaskTerm::Kind::window, kLargest, ""}, {MaskTerm::Kind::prefix, kLargest, ""}};
  EXPECT_FALSE(build_mask(request, {}, {.batch = 1, .heads = 1, .query_len = 3, .key_len = 4}).hidden.any());
  request.mask.push_back({MaskTerm::Kind::padding, kLargest, ""});
  EXPECT_EQ(build_mask(request, {}, {.batch = 1, .heads = 1, .query_len = 3, .key_len = 4}).hidden.hidden_count(0, 0),
            12);
}

// 10^14 cells: anything that walks or keeps them would not come back.
TEST(MaskRules, TenMillionTokensAreNoWork) {
  constexpr std::int64_t kTokens = 10'000'000;
  Request request;
  request.mask = {{MaskTerm::Kind::causal, 0, ""}, {MaskTerm::Kind::window, 100, ""}};
  const Mask mask = build_mask(request, {}, {.batch = 1, .heads = 8, .query_len = kTokens, .key_len = kTokens});
  EXPECT_TRUE(mask.hidden.any());
  EXPECT_EQ(mask.hidden.visible_keys(0, 7, kTokens - 1), (VisibleKeys{{kTokens - 101, kTokens}, {}}));
  EXPECT_EQ(mask.hidden.hidden_count(0, 0), kTokens * kTokens - 101 * kTokens + 100 * 101 / 2);
  EXPECT_EQ(fully_masked_rows(mask.hidden, 1, 8).count, 0);
}

}  // namespace
}  // namespace headscope

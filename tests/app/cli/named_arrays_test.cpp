// Arrays as other programs hand them over: a mask of keys, one file with all, bfloat16 as whole numbers.
#include <bit>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "core/io/npy.h"
#include "tests/app/cli/packed_case.h"
#include "tests/core/io/npz_files.h"

namespace headscope {
namespace {

// Of [batch, key_len], also where there are as many queries as items.
TEST_F(ArrayLayouts, AMaskOfKeysIsForEveryHeadAndQuery) {
  const std::vector<float> keys = {1, 1, 0, 0, 1, 1};  // [2, 3]
  for (const std::int64_t queries : {2, 4}) {
    const std::string q = write_array("q", {2, 2, queries, 2}, random_values(8 * queries, 4));
    const std::string k = write_array("k", {2, 2, 3, 2}, random_values(24, 5));
    const std::string mask = write_array("keys", {2, 3}, keys);
    const auto weights = [&](const std::string& kind, const std::string& file) {
      const std::vector<std::string> words = {"run",     "--query",  q,     "--key",       k,    "--value",
                                              k,         "--mask",   file,  "--mask-kind", kind, "--export",
                                              "weights", "--format", "npy", "--out",       "w"};
      const Result result = cli(words);
      EXPECT_EQ(result.code, 0) << result.err;
      return stage("w", "weights");
    };
    const Tensor keep = weights("key-keep", mask), hide = weights("key-hide", mask);
    for (std::int64_t b = 0; b < 2; ++b) {
      for (std::int64_t i = 0; i < queries; ++i) {
        for (std::int64_t j = 0; j < 3; ++j) {
          const bool one = keys[static_cast<std::size_t>(b * 3 + j)] == 1;
          EXPECT_EQ(keep.at({b, 1, i, j}) > 0, one);
          EXPECT_EQ(hide.at({b, 0, i, j}) > 0, !one);
        }
      }
    }
    const Tensor four = weights("keep", write_array("four", {2, 1, 1, 3}, keys));
    EXPECT_EQ(largest_difference(four, keep), 0.0);
    const std::vector<std::string> plain = {"run", "--query", q, "--key", k, "--value", k, "--mask", mask};
    if (queries == 4) {
      expect_refused(cli(plain), 2, {"[2, 3] is [batch, key_len]", "--mask-kind key-keep", "key-hide"});
    } else {
      EXPECT_NE(cli(plain).err.find("with --mask-kind key-keep"), std::string::npos) << "two readings";
    }
    expect_refused(cli({"run", "--query", q, "--key", k, "--value", k, "--mask",
                        write_array("wrong", {queries, 2}, std::vector<float>(static_cast<std::size_t>(2 * queries))),
                        "--mask-kind", "key-keep"}),
                   2, {"wrong.npy", "[2, 3] [batch, key_len]"});
  }
}

// A .npy file of whole numbers of 16 bits.
std::string npy_of_bits(const Shape& shape, const std::vector<float>& numbers) {
  std::ostringstream out;
  write_npy(out, tensor_of(shape, numbers));
  std::string bytes = out.str();
  bytes.resize(bytes.size() - 4 * numbers.size());
  bytes.replace(bytes.find("<f4"), 3, "<u2");
  for (const float number : numbers) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(number);
    const std::uint32_t rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;  // to the nearest, ties to even
    test::put_number(bytes, static_cast<std::uint16_t>(rounded));
  }
  return bytes;
}

TEST_F(ArrayLayouts, WholeNumbersAreReadAsTheBfloat16ThatTheyHold) {
  const Shape shape{kTokens, kHeads, kSize};
  folder_.write("theirs.npy", npy_of_bits(shape, context(same_text)));
  const std::vector<std::string> words = packed_files(
      {"diagnose"},
      {"--layout", "thd", "--theirs", "theirs.npy", "--stage", "context", "--tolerance", "0.01", "--json"});
  EXPECT_EQ(diagnosed(words)["equal"], true);
  EXPECT_NE(said_.find("theirs.npy is read as bfloat16, whose bits it holds as uint16"), std::string::npos) << said_;
  const std::vector<float> halves(static_cast<std::size_t>(kTokens * kHeads * kSize), 0.5F);
  folder_.write("q2.npy", npy_of_bits({1, kHeads, kTokens, kSize}, halves));
  const Result run = cli({"run", "--query", "q2.npy", "--key", "q2.npy", "--value", "q2.npy", "--export", "context",
                          "--format", "npy", "--out", "halves"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(stage("halves", "context").values(), halves);
  EXPECT_NE(run.err.find("q2.npy is read as bfloat16"), std::string::npos) << run.err;
  EXPECT_EQ(manifest("halves").at("notices").size(), 1U) << "one of each file";
}

TEST_F(ArrayLayouts, OneFileHoldsAllByTheirNames) {
  const Shape shape{1, kHeads, kTokens, kSize};
  const auto turned = [&](const std::vector<float>& packed) {
    return tensor_of({1, kTokens, kHeads, kSize}, packed).permuted({0, 2, 1, 3}).dense_copy().values();
  };
  const auto npy = [](const Shape& of, const std::vector<float>& values) {
    std::ostringstream out;
    write_npy(out, tensor_of(of, values));
    return out.str();
  };
  std::vector<float> mask;
  for (std::int64_t i = 0; i < kTokens; ++i) {
    for (std::int64_t j = 0; j < kTokens; ++j) mask.push_back(j <= i ? 0.0F : -std::numeric_limits<float>::infinity());
  }
  const std::vector<test::ZipFile> files = {{"q.npy", npy(shape, turned(query_))},
                                            {"k.npy", npy(shape, turned(key_))},
                                            {"v.npy", npy(shape, turned(value_))},
                                            {"attn_mask.npy", npy({kTokens, kTokens}, mask)},
                                            {"out.npy", npy(shape, turned(context(only_causal)))},
                                            {"step.npy", npy({1}, {3})}};
  folder_.write("all.npz", test::zip_of(files));
  const Result run = cli({"run", "--query", "all.npz", "--export", "context", "--format", "npy", "--out", "all"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_NE(
      run.err.find("all.npz: q is taken as the query, k is taken as the key, v is taken as the value, attn_mask is "
                   "taken as the mask; step, out are not used"),
      std::string::npos)
      << run.err;
  expect_near(stage("all", "context"), turned(context(only_causal)));
  // With what it gave beside it, one file is the whole question.
  const nlohmann::json found = diagnosed({"diagnose", "--theirs", "all.npz", "--json"});
  EXPECT_EQ(found["equal"], true);
  ASSERT_EQ(found["stages"].size(), 1U);
  EXPECT_EQ(found["stages"][0]["stage"], "context");
  EXPECT_EQ(
      diagnosed({"diagnose", "--query", "all.npz", "--theirs", "all.npz", "--stage", "context", "--json"})["equal"],
      true);
  const nlohmann::json wrong =
      diagnosed({"diagnose", "--query", "all.npz", "--theirs", "all.npz", "--scale", "0.4", "--json"});
  EXPECT_EQ(wrong["equal"], false);
  std::vector<test::ZipFile> twice = files;
  twice.push_back({"query.npy", npy(shape, turned(query_))});
  folder_.write("twice.npz", test::zip_of(twice));
  expect_refused(cli({"run", "--query", "twice.npz"}), 3, {"twice.npz", "q and query"});
  folder_.write("few.npz", test::zip_of({files[0], files[1]}));
  expect_refused(cli({"run", "--query", "few.npz"}), 2, {"value", "few.npz", "v or values"});
}

}  // namespace
}  // namespace headscope

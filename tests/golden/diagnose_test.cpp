// PyTorch code with every known mistake, alone and in twos, is named for what it is. See make_diagnose_golden.py.
#include "core/diagnose/diagnose.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "core/attention/engine.h"
#include "core/io/safetensors.h"

namespace headscope {
namespace {

const std::string kDiagnoseFolder = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/diagnose/";

std::shared_ptr<const Trace> ours(const std::string& layout) {
  Request request;
  request.input = kDiagnoseFolder + "x.npy";
  request.weights = kDiagnoseFolder + layout + ".safetensors";
  request.heads = 2;
  request.mask = {{MaskTerm::Kind::causal, 0, ""}};
  return Engine().run(request, {});
}

std::set<std::string> names_in(const std::string& list) {
  std::set<std::string> names;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    names.insert(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

class GoldenDiagnose : public testing::TestWithParam<const char*> {};

TEST_P(GoldenDiagnose, EveryMistakeOfTorchCodeIsNamed) {
  const auto trace = ours(GetParam());
  const auto theirs = SafetensorsFile::open(kDiagnoseFolder + GetParam() + ".theirs.safetensors");
  int alone = 0, pairs = 0;
  for (const SafetensorsEntry& entry : theirs.entries()) {
    const Diagnosis found = diagnose(*trace, {{StageId::output, theirs.tensor(entry)}}, make_cpu_backend(1), {}, {});
    if (entry.name.empty()) {
      EXPECT_TRUE(found.equal) << found.max_difference;
      continue;
    }
    EXPECT_FALSE(found.equal) << entry.name;
    if (entry.name == "noise") {
      EXPECT_TRUE(found.explanations.empty()) << found.explanations.front().variants.front();
      EXPECT_FALSE(found.nearest.empty());
      continue;
    }
    const std::set<std::string> wanted = names_in(entry.name);
    ASSERT_FALSE(found.explanations.empty()) << entry.name;
    const auto is_wanted = [&](const DiagnosisExplanation& each) {
      return std::set<std::string>(each.variants.begin(), each.variants.end()) == wanted;
    };
    const std::vector<float> numbers = theirs.tensor(entry).values();
    if (std::all_of(numbers.begin(), numbers.end(), [](float each) { return std::isnan(each); })) {
      // Nothing but NaN tells no two mistakes apart that both give it.
      EXPECT_TRUE(std::any_of(found.explanations.begin(), found.explanations.end(), is_wanted)) << entry.name;
    } else {
      EXPECT_TRUE(is_wanted(found.explanations.front()))
          << entry.name << " is called " << found.explanations.front().variants.front();
    }
    (wanted.size() == 1 ? alone : pairs) += 1;
  }
  EXPECT_EQ(alone, 8);
  EXPECT_EQ(pairs, 27);
}

INSTANTIATE_TEST_SUITE_P(Layouts, GoldenDiagnose, testing::Values("per_head", "blocked"));

}  // namespace
}  // namespace headscope

#include "core/corpus/point_report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/corpus/corpus_report.h"
#include "core/corpus/principal_axes.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/core/corpus/made_records.h"

namespace headscope {
namespace {

TEST(PointReport, SharesOfVarianceAreThoseOfTheAxes) {
  const CorpusRecord record = test::made_record(2, 30, {0, 30});
  const auto said = corpus_json(record).at("heads")[1].at("variance");
  EXPECT_EQ(corpus_json(record).at("points"), 6);
  for (std::size_t kind = 0; kind < 3; ++kind) {
    const PrincipalAxes axes = principal_axes(record.heads[1].vectors[kind], record.tokens);
    const auto& shares = said.at(std::string(vector_kind_key(all_vector_kinds()[kind])));
    ASSERT_EQ(shares.size(), axes.size());
    double sum = 0;
    for (std::size_t k = 0; k < axes.size(); ++k) {
      EXPECT_TRUE(std::abs(shares[k].get<double>() - axes.share(k)) <= 1e-9);
      sum += shares[k].get<double>();
    }
    EXPECT_TRUE(std::abs(sum - 1) <= 1e-9) << sum;
  }
  EXPECT_TRUE(said.at("output").is_null());
  CorpusRecord none = test::empty_record(1, 3);
  test::forget_points(none);
  EXPECT_TRUE(variance_json(none.heads[0], none).is_null());
}

TEST(PointReport, ATableHasALineForEachPointAndKind) {
  const TemporaryFolder folder;
  const CorpusRecord record = test::made_record(1, 30, {0, 30});
  const std::string text = points_csv(record, 1);
  EXPECT_EQ(text.find("layer,head,vector,phrase,position,token,id,hash,pc1,pc2,pc3,pc4,pc5,pc6,pc7,pc8\n1,0,query,"),
            0u);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 3 * 6);
  EXPECT_EQ(std::count(text.begin(), text.end(), ','), 15 * (1 + 3 * 6));
  EXPECT_EQ(write_corpus_tables(folder / "t", record, 1).back(), "points.csv");
  EXPECT_EQ(bytes_of(folder / "t/points.csv"), text);
  const PrincipalAxes axes = principal_axes(record.heads[1].vectors[0], record.tokens);
  const std::size_t line = text.find("1,0,query"), first = text.find("0000000", line);
  const double pc1 = std::stod(text.substr(text.find(',', first) + 1));
  EXPECT_TRUE(std::abs(pc1 - projected_points(axes, record.heads[1].vectors[0].points, 1)[0]) <= 1e-12) << pc1;
}

}  // namespace
}  // namespace headscope

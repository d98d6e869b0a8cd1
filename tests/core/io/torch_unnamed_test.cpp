// Files of torch.save that hold tensors without names.
#include "core/io/tensor_file.h"
#include "core/io/torch_file.h"
#include "tests/core/io/torch_helpers.h"
#include "tests/core/io/torch_lists.h"

namespace headscope {
namespace {

using namespace test;

TEST(TorchUnnamed, OneTensorAndListsOfThem) {
  const SavedTensor pair{{2}, {1, 2}}, single{{1}, {3}};
  const TorchContents only = parse_pt(saved_tensor(pair));
  EXPECT_FALSE(only.named);
  ASSERT_EQ(only.tensors.size(), 1u);
  EXPECT_EQ(only.tensors[0].name, kOnlyTensor);
  for (const bool as_tuple : {false, true}) {
    const TorchContents list = parse_pt(saved_list({pair, single}, as_tuple));
    EXPECT_FALSE(list.named);
    ASSERT_EQ(list.tensors.size(), 2u);
    EXPECT_EQ(list.tensors[0].name, "0");
    EXPECT_EQ(list.tensors[1].shape, (std::vector<std::int64_t>{1}));
  }
  EXPECT_TRUE(parse_pt(saved_dict({{"a", pair}})).named);
}

TEST(TorchUnnamed, AListOfAnythingElseIsRefused) {
  expect_in_refusal("expected tensors by name", refused_pt(torch_archive(pickled("](K\x01K\x02"
                                                                                 "e"),
                                                                         {})));
  expect_in_refusal("expected tensors by name", refused_pt(torch_archive(pickled("]"), {})));
}

}  // namespace
}  // namespace headscope

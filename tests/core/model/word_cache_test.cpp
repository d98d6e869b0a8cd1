// Every key that is typed makes a new word: what is kept of them has a bound far below that of a large phrase.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "core/model/load_inputs.h"

namespace headscope {
namespace {

#ifdef __GLIBC__
TEST(WordCache, WordsThatWereTypedLongAgoAreForgotten) {
#ifdef HEADSCOPE_SANITIZED
  GTEST_SKIP() << "a sanitizer has an allocator of its own";
#endif
  InputCache cache;
  Request request;
  request.d_model = 64;
  request.input_dim = 4096;
  request.heads = 4;
  const auto type = [&](int from, int to) {
    for (int i = from; i < to; ++i) {
      request.phrase = "w" + std::to_string(i);
      load_inputs(request, cache);
    }
    const struct mallinfo2 now = mallinfo2();
    return now.uordblks + now.hblkhd;
  };
  const std::size_t before = type(0, 10), after = type(10, 800);
  EXPECT_LT(after - before, std::size_t{6} << 20) << "790 words of 16 KiB";
}
#endif

}  // namespace
}  // namespace headscope

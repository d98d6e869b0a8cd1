// Which ids, images and captures hold special tokens.
#include <gtest/gtest.h>

#include "core/attention/engine.h"
#include "core/heads/token_places.h"
#include "core/model/image_grid.h"
#include "core/model/text_inputs.h"
#include "tests/core/model/vision_files.h"

namespace headscope {
namespace {

std::shared_ptr<const Trace> run(const Request& request) {
  Engine engine;
  return engine.run(request, CancelToken());
}

TEST(WordsOfIds, KnowTheSpecialTokensOfATokenizer) {
  Request request;
  request.model = "demo:pronouns";
  request.phrase = "the animal [MASK] zzzz it";
  const auto typed = run(request);
  request.token_ids = typed->inputs->token_ids;
  request.phrase.clear();
  const auto given = run(request);
  ASSERT_EQ(given->inputs->words.size(), typed->inputs->words.size());
  const std::vector<std::int64_t> special = TokenPlaces(*typed).special_keys();
  EXPECT_FALSE(special.empty());
  EXPECT_LT(special.size(), typed->inputs->words.size()) << "an unknown word is none";
  EXPECT_EQ(TokenPlaces(*given).special_keys(), special);
}

TEST(WordsOfIds, AreEmptyWithoutATokenizer) {
  EXPECT_TRUE(words_of_ids({1, 2, 3}, nullptr).empty());
}

// A vocabulary whose one special token stands for all roles.
TEST(WordsOfIds, ATokenOfSeveralRolesIsSpecialThoughItStandsForTheUnknown) {
  class OneSpecial : public Tokenizer {
    Tokens tokenize(std::string_view) const override { return {}; }
    SpecialTokens special() const override {
      SpecialTokens found;
      found.unknown = 7;
      found.end = one_role ? std::nullopt : std::optional<std::int64_t>(7);
      found.all = {7};
      return found;
    }

   public:
    bool one_role = false;
  };
  OneSpecial tokenizer;
  EXPECT_EQ(words_of_ids({5, 7, 6}, &tokenizer), (std::vector<std::int64_t>{0, -1, 2}));
  tokenizer.one_role = true;
  EXPECT_EQ(words_of_ids({5, 7, 6}, &tokenizer), (std::vector<std::int64_t>{0, 1, 2}));
}

TEST(WordsOfIds, AnImageHasThemBeforeItsPatches) {
  EXPECT_EQ(words_of_patches(2, {1, 3}), (std::vector<std::int64_t>{-1, -1, 0, 1, 2}));
  Request request;
  request.model = kVisionModels + "dinov2-registers";
  request.image = vision_image();
  EXPECT_EQ(TokenPlaces(*run(request)).special_keys(), (std::vector<std::int64_t>{0, 1, 2, 3}));
  request.model = kVisionModels + "siglip";
  EXPECT_TRUE(TokenPlaces(*run(request)).special_keys().empty());
}

}  // namespace
}  // namespace headscope

// What is remembered between starts, and what happens when that is broken or impossible.
#include "app/session/settings.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <limits>

#include "app/session/last_session.h"
#include "app/session/state_json.h"
#include "core/base/error.h"
#include "tests/app/session/temporary_folder.h"

namespace headscope {
namespace {

class SettingsFiles : public ::testing::Test {
 protected:
  SettingsFiles()
      : config_("XDG_CONFIG_HOME", (folder_ / "config").c_str()),
        state_("XDG_STATE_HOME", (folder_ / "state").c_str()) {}
  std::string settings_path() const { return folder_ / "config/headscope/settings.json"; }

  TemporaryFolder folder_;
  Environment config_, state_;
};

Settings unusual_settings() {
  Settings s;
  s.theme = Theme::light;
  s.ui_scale = 1.25;
  s.recent_files = {"/tmp/ä b.json", "/x/\"quoted\".png"};
  s.export_folder = "/tmp/out";
  s.open_folder = "/tmp/in";
  s.export_format = "npy";
  s.export_scale = 4;
  s.window_width = 1280;
  s.window_height = 800;
  s.native_dialogs = "never";
  s.stage_memory_mib = 4096;
  s.language = "es";
  s.tour_step = 7;
  s.one_head = s.row_sound = true;
  s.auto_contrast = true;
  return s;
}

TEST_F(SettingsFiles, TheFirstStartHasDefaultsAndSaysNothing) {
  std::string notice;
  const Settings s = load_settings(notice);
  EXPECT_EQ(notice, "");
  EXPECT_EQ(settings_json(s), settings_json(Settings()));
  LastSession last;
  EXPECT_FALSE(load_last_session(last, notice));
  EXPECT_EQ(notice, "");
}

TEST_F(SettingsFiles, WhatIsSavedIsLoaded) {
  EXPECT_EQ(save_settings(unusual_settings()), "");
  std::string notice;
  EXPECT_EQ(settings_json(load_settings(notice)), settings_json(unusual_settings()));
  EXPECT_EQ(notice, "");
}

TEST_F(SettingsFiles, ABrokenFileIsPutAsideAndNamed) {
  folder_.write("config/headscope/settings.json", "{\"theme\": \"dark\"");
  std::string notice;
  const Settings s = load_settings(notice);
  EXPECT_EQ(settings_json(s), settings_json(Settings()));
  EXPECT_NE(notice.find("settings.json.broken"), std::string::npos) << notice;
  EXPECT_FALSE(std::filesystem::exists(settings_path()));
  EXPECT_EQ(bytes_of(settings_path() + ".broken"), "{\"theme\": \"dark\"");
  notice.clear();
  load_settings(notice);
  EXPECT_EQ(notice, "") << "said once, not at every start";
}

TEST_F(SettingsFiles, EveryWrongTypeIsBrokenNotFatal) {
  for (const char* text : {"", "[]", "3", "null", "\xff\xfe", "{\"theme\": 3}", "{\"theme\": \"blue\"}",
                           "{\"ui_scale\": \"big\"}", "{\"recent_files\": {}}", "{\"recent_files\": [1]}",
                           "{\"window_width\": []}", "{\"native_dialogs\": \"sometimes\"}", "{\"export_folder\": 1}",
                           "{\"ui_scale\": 1e999}", "{\"tour_step\": \"x\"}", "{\"language\": 3}"}) {
    folder_.write("config/headscope/settings.json", text);
    std::string notice;
    EXPECT_EQ(settings_json(load_settings(notice)), settings_json(Settings())) << text;
    EXPECT_NE(notice, "") << text;
  }
}

TEST_F(SettingsFiles, KeysOfANewerVersionArePassedOver) {
  folder_.write("config/headscope/settings.json", "{\"ui_scale\": 2, \"holograms\": {\"on\": true}}");
  std::string notice;
  EXPECT_EQ(load_settings(notice).ui_scale, 2);
  EXPECT_EQ(notice, "");
}

TEST_F(SettingsFiles, NumbersAreBroughtIntoWhatTheWindowCanShow) {
  const Settings s = parse_settings(
      R"({"ui_scale": 1e9, "window_width": -5, "window_height": 1e300, "export_scale": 0, "text_size": 9})");
  EXPECT_EQ(s.ui_scale, 4);
  EXPECT_EQ(s.window_width, 320);
  EXPECT_EQ(s.window_height, 16384);
  EXPECT_EQ(s.export_scale, 0.5);
}

// Text size and scale were two settings, which multiplied each other for letters.
TEST_F(SettingsFiles, ASizeOfLettersOfAnEarlierVersionBecomesThatOfEverything) {
  EXPECT_NEAR(parse_settings(R"({"ui_scale": 1.2, "text_size": 1.3})").ui_scale, 1.56, 1e-12);
  EXPECT_EQ(parse_settings(R"({"text_size": 0.8})").ui_scale, 0.8);
  EXPECT_EQ(parse_settings(R"({"ui_scale": 4, "text_size": 1.3})").ui_scale, 4);
  const Settings read = parse_settings(R"({"text_size": 1.3})");  // written, it is not applied again
  EXPECT_EQ(parse_settings(settings_json(read)).ui_scale, 1.3);
  EXPECT_EQ(settings_json(read).find("text_size"), std::string::npos);
}

TEST_F(SettingsFiles, AFolderThatCannotBeWrittenCostsASentence) {
  folder_.write("config", "a file where a folder should be");
  EXPECT_NE(save_settings(Settings()), "");
  std::string notice;
  load_settings(notice);  // does not throw
}

TEST_F(SettingsFiles, AFullDiskCostsASentence) {
  std::filesystem::create_directories(folder_ / "config");
  std::filesystem::create_symlink("/dev/full", folder_ / "config/headscope");
  EXPECT_NE(save_settings(Settings()), "");
}

TEST_F(SettingsFiles, ASettingsFileThatIsAFolderIsNotFatal) {
  std::filesystem::create_directories(settings_path());
  std::string notice;
  EXPECT_EQ(settings_json(load_settings(notice)), settings_json(Settings()));
  EXPECT_NE(notice, "");
  EXPECT_NE(save_settings(Settings()), "");
}

TEST_F(SettingsFiles, ARelativeXdgFolderCountsAsUnset) {
  const Environment home("HOME", folder_.path().c_str());
  const Environment config("XDG_CONFIG_HOME", "relative");
  const Environment state("XDG_STATE_HOME", nullptr);
  EXPECT_EQ(config_folder(), folder_ / ".config/headscope");
  EXPECT_EQ(state_folder(), folder_ / ".local/state/headscope");
}

TEST_F(SettingsFiles, AnUnsetHomeIsLookedUpAndNeverFatal) {
  const Environment home("HOME", nullptr);
  const Environment config("XDG_CONFIG_HOME", nullptr);
  const std::string folder = config_folder();
  EXPECT_TRUE(folder.empty() || folder[0] == '/') << folder;
}

TEST_F(SettingsFiles, PathsThatAreNoUtf8AreNotRememberedAndBreakNothing) {
  Settings s;
  s.recent_files = {"/tmp/\xff", "/tmp/good"};
  s.export_folder = "/tmp/\xc3";
  EXPECT_EQ(save_settings(s), "");
  std::string notice;
  const Settings loaded = load_settings(notice);
  EXPECT_EQ(loaded.recent_files, std::vector<std::string>{"/tmp/good"});
  EXPECT_EQ(loaded.export_folder, "");
  EXPECT_EQ(notice, "");
}

ViewState unusual_view() {
  ViewState v;
  v.stage = StageId::concat;
  v.quantity = StageId::masked_scores;
  v.batch = 2;
  v.head = 7;
  v.cell = Cell{3, 4};
  v.weight_map = ColorMap::magma;
  v.signed_map = ColorMap::coolwarm;
  v.range = RangeKind::row;
  v.range_per_head = true;
  v.stage_range = RangeOfStage{StageId::context, RangeKind::fit, -0.5, 2};
  v.range_fixed = true;
  v.range_low = -0.1;
  v.range_high = 1.0 / 3.0;
  v.log_scale = true;
  v.concat_shows = ConcatShows::both;
  v.pooling = Pooling::mean;
  v.viewport = {1.5, 2.5, 3.5, 4.5};
  v.stage_viewport = {0.1, 0.2, 0.3, 0.4};
  v.request_width = 300;
  v.inspector_width = 500;
  v.concat_height = 200;
  v.request_collapsed = v.concat_collapsed = v.inspector_collapsed = v.pipeline_collapsed = true;
  v.request_opened_by_hand = true;
  return v;
}

TEST_F(SettingsFiles, TheLastSessionComesBackWithItsLayout) {
  LastSession saved;
  saved.request.phrase = "ein 🐈 \"zitat\"\n";
  saved.request.heads = 4;
  saved.request.mask = {{MaskTerm::Kind::causal, 0, ""}, {MaskTerm::Kind::padding, 2, ""}};
  saved.request.seed = std::numeric_limits<std::uint64_t>::max();
  saved.view = unusual_view();
  ASSERT_EQ(save_last_session(saved), "");
  LastSession loaded;
  std::string notice;
  ASSERT_TRUE(load_last_session(loaded, notice));
  EXPECT_EQ(notice, "");
  EXPECT_EQ(loaded.request, saved.request);
  EXPECT_EQ(loaded.view, saved.view);
}

TEST_F(SettingsFiles, ABrokenLayoutKeepsTheSession) {
  LastSession saved;
  saved.request.phrase = "a b";
  saved.view.head = 3;
  ASSERT_EQ(save_last_session(saved), "");
  folder_.write("state/headscope/last-view.json", "{]");
  LastSession loaded;
  std::string notice;
  ASSERT_TRUE(load_last_session(loaded, notice));
  EXPECT_EQ(loaded.request.phrase, "a b");
  EXPECT_EQ(loaded.view.head, 3) << "what the session file itself keeps of the view";
  EXPECT_NE(notice.find("last-view.json.broken"), std::string::npos) << notice;
}

TEST_F(SettingsFiles, ABrokenLastSessionIsPutAside) {
  folder_.write("state/headscope/last-session.json", "{\"headscope\": \"0.1.0\", \"heads\": \"many\"}");
  LastSession loaded;
  loaded.request.phrase = "as it was";
  std::string notice;
  EXPECT_FALSE(load_last_session(loaded, notice));
  EXPECT_EQ(loaded.request.phrase, "as it was");
  EXPECT_NE(notice.find("last-session.json.broken"), std::string::npos) << notice;
}

TEST(ViewStateJson, NumbersThatAreNotFiniteDoNotBreakTheFile) {
  ViewState v;
  v.range_low = std::numeric_limits<double>::quiet_NaN();
  v.viewport.row0 = std::numeric_limits<double>::infinity();
  const ViewState read = parse_view_state(view_state_json(v));
  EXPECT_EQ(read, ViewState());
}

// The settings have them; earlier versions wrote them here too, of whatever type.
TEST(ViewStateJson, ThemeAndScaleOfAnEarlierVersionAreIgnored) {
  ViewState v;
  v.head = 3;
  EXPECT_EQ(parse_view_state(R"({"head": 3, "theme": "light", "ui_scale": 1.5})"), v);
  EXPECT_EQ(parse_view_state(R"({"head": 3, "theme": "blue", "ui_scale": "big"})"), v);
  EXPECT_EQ(view_state_json(v).find("theme"), std::string::npos);
}

TEST(ViewStateJson, LinesAndNeuronsComeBack) {
  ViewState v;
  v.heads_show = HeadsShow::arcs;
  v.arcs_heads = {0, 2, 6};
  v.arcs_hide_below = 0.25;
  v.arcs_sentences = SentencePair::b_to_a;
  EXPECT_EQ(parse_view_state(view_state_json(v)), v);
  v.heads_show = HeadsShow::neurons;
  v.arcs_heads = std::vector<std::int64_t>{};
  EXPECT_EQ(parse_view_state(view_state_json(v)), v);
  v.arcs_heads.reset();
  EXPECT_EQ(parse_view_state(view_state_json(v)), v);
}

TEST(ViewStateJson, WhatASensitivityIsByComesBack) {
  ViewState v;
  v.main_view = MainView::sensitivity;
  for (const SensitivityBy by : {SensitivityBy::weights, SensitivityBy::scores}) {
    v.sensitivity_by = by;
    EXPECT_EQ(parse_view_state(view_state_json(v)), v);
  }
  EXPECT_THROW(parse_view_state("{\"sensitivity_by\": \"tokens\"}"), Error);
}

TEST(ViewStateJson, TheViewOverAllLayersComesBack) {
  ViewState v;
  v.layers = {3, Aggregate::flow, HeadMetric::induction, HeadMetric::first_token, true, 0.6, true};
  EXPECT_EQ(parse_view_state(view_state_json(v)).layers, v.layers);
  v.main_view = MainView::weights;
  v.weights.tensor = "layers.1.qkv.weight";
  EXPECT_EQ(parse_view_state(view_state_json(v)).main_view, v.main_view);
  EXPECT_EQ(parse_view_state(view_state_json(v)).weights.tensor, v.weights.tensor);
  EXPECT_EQ(parse_view_state(view_state_json(ViewState())).layers, LayersView());
  EXPECT_EQ(parse_view_state("{}").layers, LayersView());
  for (const char* wrong : {"{\"layers\": 3}", "{\"layers\": {\"sort\": \"nothing\"}}",
                            "{\"layers\": {\"aggregate\": \"sum\"}}", "{\"layers\": {\"norms\": 1}}"}) {
    EXPECT_THROW(parse_view_state(wrong), Error) << wrong;
  }
}

TEST(ViewStateJson, WrongTypesAreRefusedWithTheirKey) {
  for (const char* text : {"{\"stage\": \"nonsense\"}", "{\"cell\": 3}", "{\"cell\": [1]}", "{\"viewport\": [1, 2]}",
                           "{\"viewport\": [1, 2, 3, \"x\"]}", "{\"weight_map\": \"jet\"}", "{\"head\": true}", "[]",
                           "{\"heads_show\": \"arc\"}", "{\"main_view\": \"all\"}", "{\"arcs_heads\": 3}",
                           "{\"arcs_heads\": [-1]}", "{\"arcs_heads\": [\"a\"]}", "{\"arcs_sentences\": 2}"}) {
    EXPECT_THROW(parse_view_state(text), Error) << text;
  }
  EXPECT_EQ(parse_view_state("{\"head\": -4, \"cell\": [-1, 1e300]}").head, 0);
}

}  // namespace
}  // namespace headscope

# What was checked of this formula, and what was not: README.md beside it.
class Headscope < Formula
  desc "Desktop microscope for multi-head attention"
  homepage "https://example.org/headscope"
  license "MIT"
  head "https://example.org/headscope.git", branch: "main"

  depends_on "cli11" => :build
  depends_on "cmake" => :build
  depends_on "eigen" => :build
  depends_on "ninja" => :build
  depends_on "nlohmann-json" => :build
  depends_on "pkgconf" => :build
  depends_on "cairo"
  depends_on "fmt"
  depends_on "fontconfig"
  depends_on "freetype"
  depends_on "fribidi"
  depends_on "glfw"
  depends_on "harfbuzz"
  depends_on "highway"
  depends_on "jpeg-turbo"
  depends_on "libepoxy"
  depends_on "libpng"
  depends_on "openssl@3"
  depends_on "pcre2"
  depends_on "utf8proc"

  uses_from_macos "zlib"

  resource "imgui" do
    url "https://github.com/ocornut/imgui/archive/refs/tags/v1.91.9b.tar.gz"
    sha256 "8e1bbc76c71d74fef2fb85db7e7ca8eba13d6a86623c54992b60162db554ffdb"
  end

  def install
    (buildpath/"imgui").install resource("imgui")
    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DHEADSCOPE_TESTS=OFF",
                    "-DHEADSCOPE_IMGUI_SOURCE=#{buildpath}/imgui", *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    system bin/"headscope-cli", "run", "--phrase", "a b c", "--export", "weights", "--format", "csv",
                                "--out", testpath/"out"
    assert_match "query\\key", (testpath/"out/weights.b0.h0.csv").read
    assert_match version.to_s, shell_output("#{bin}/headscope-cli --version") unless build.head?
  end
end

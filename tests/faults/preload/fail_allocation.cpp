// For LD_PRELOAD: allocations of a program fail, whoever asks for them. By the environment:
//   HEADSCOPE_FAIL_ALLOCATION=K  the K-th one, counted from 1
//   HEADSCOPE_FAIL_ALWAYS=1      all from there on
//   HEADSCOPE_FAIL_SIZE=BYTES    counts and fails only those of so many bytes or more
//   HEADSCOPE_FAIL_WHILE=FILE    all of them fail as long as FILE is there
//   HEADSCOPE_ALLOCATIONS=FILE   writes how many there were
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace {

std::atomic<long> count{0};
long failing = -1;
std::size_t smallest = 0;
bool always = false, ready = false;
char report[512], switch_file[512];

[[gnu::constructor]] void begin() {
  if (const char* k = std::getenv("HEADSCOPE_FAIL_ALLOCATION")) failing = std::atol(k);
  always = std::getenv("HEADSCOPE_FAIL_ALWAYS") != nullptr;
  if (const char* bytes = std::getenv("HEADSCOPE_FAIL_SIZE")) smallest = std::strtoul(bytes, nullptr, 10);
  if (const char* file = std::getenv("HEADSCOPE_FAIL_WHILE")) {
    std::snprintf(switch_file, sizeof(switch_file), "%s", file);
  }
  if (const char* file = std::getenv("HEADSCOPE_ALLOCATIONS")) std::snprintf(report, sizeof(report), "%s", file);
  ready = true;
}

[[gnu::destructor]] void end() {
  ready = false;
  if (report[0] == '\0') return;
  const int file = ::open(report, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  char line[32];
  const int size = std::snprintf(line, sizeof(line), "%ld\n", count.load());
  if (file < 0 || ::write(file, line, static_cast<std::size_t>(size)) != size) return;
  ::close(file);
}

bool fails(std::size_t size) {
  if (!ready || size < smallest) return false;
  const long number = count.fetch_add(1) + 1;
  const bool counted = failing > 0 && (always ? number >= failing : number == failing);
  const bool hit = counted || (switch_file[0] != '\0' && ::access(switch_file, F_OK) == 0);
  if (hit) errno = ENOMEM;
  return hit;
}

}  // namespace

extern "C" {
void* malloc(std::size_t size) {
  return fails(size) ? nullptr : __libc_malloc(size);
}
void* calloc(std::size_t number, std::size_t size) {
  return fails(number * size) ? nullptr : __libc_calloc(number, size);
}
void* realloc(void* memory, std::size_t size) {
  return fails(size) ? nullptr : __libc_realloc(memory, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
  return fails(size) ? nullptr : __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return memalign(alignment, size);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  void* const made = memalign(alignment, size);
  if (made == nullptr) return ENOMEM;
  *memory = made;
  return 0;
}
}

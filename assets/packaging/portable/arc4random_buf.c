// Debian's libexpat takes its random bytes from arc4random_buf of glibc 2.36. tree.py links it with this one in its place, for
// systems whose glibc has none.
#include <stddef.h>
#include <sys/random.h>

// Fills `count` bytes by the kernel, which only says no before it has started its generator: then it is asked again.
void arc4random_buf(void* bytes, size_t count) {
  unsigned char* at = bytes;
  while (count > 0) {
    const ssize_t got = getrandom(at, count, 0);
    if (got <= 0) continue;
    at += got;
    count -= (size_t)got;
  }
}

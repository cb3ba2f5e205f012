// SPDX-License-Identifier: Apache-2.0
// Preloaded into a broker by tests: a wall clock that can be set, and a disk that can hang.
//
// WEIR_FAULTS names a file of two 64-bit integers, which a test writes while the broker runs:
//   nanoseconds that are added to the wall clock
//   not 0: fsync and fdatasync do not return
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct faults {
  int64_t clock_nanoseconds;
  int64_t is_disk_hanging;
};

static const struct faults kNone;
static const volatile struct faults* faults = &kNone;

__attribute__((constructor)) static void read_faults(void) {
  const char* const path = getenv("WEIR_FAULTS");
  if (path == NULL) return;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  void* const mapped = mmap(NULL, sizeof(struct faults), PROT_READ, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED) abort();
  faults = mapped;
  close(file);
}

int clock_gettime(clockid_t clock, struct timespec* time) {
  const long result = syscall(SYS_clock_gettime, clock, time);
  if (result != 0 || clock != CLOCK_REALTIME) return (int)result;
  const int64_t second = 1000000000;
  const int64_t now = time->tv_sec * second + time->tv_nsec + faults->clock_nanoseconds;
  time->tv_sec = now / second;
  time->tv_nsec = now % second;
  return 0;
}

static void wait_for_disk(void) {
  const struct timespec pause = {.tv_nsec = 1000000};
  while (faults->is_disk_hanging) nanosleep(&pause, NULL);
}

int fsync(int file) {
  wait_for_disk();
  return (int)syscall(SYS_fsync, file);
}

int fdatasync(int file) {
  wait_for_disk();
  return (int)syscall(SYS_fdatasync, file);
}

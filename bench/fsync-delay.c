/* Preloaded into a server, this makes every fsync and fdatasync take FSYNC_DELAY_US longer, as a slower disk would. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static void delay(void) {
  const char *us = getenv("FSYNC_DELAY_US");
  if (us) usleep((useconds_t)atoi(us));
}

int fsync(int fd) {
  static int (*next)(int);
  if (!next) next = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  delay();
  return next(fd);
}

int fdatasync(int fd) {
  static int (*next)(int);
  if (!next) next = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  delay();
  return next(fd);
}

/* Writes down what a process does to the files of one directory, in order, so that a loss of power can be played
 * afterwards at any point: LD_PRELOAD, with POWER_DIR (the directory) and POWER_LOG (the file to write to).
 *
 * A record is: kind (1 byte: W write, S sync, T truncate, U unlink), length of the name (1 byte), name within the
 * directory, offset (8 bytes), length (8 bytes), data (W only). Shared memory (-shm) is no matter of durability. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FDS 4096

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char names[FDS][64];
static int log_fd = -1;

static void put(const void *data, size_t size) {
    const char *at = data;
    while (size > 0) {
        long done = syscall(SYS_write, log_fd, at, size);
        if (done <= 0) abort();
        at += done;
        size -= (size_t)done;
    }
}

static void record(char kind, const char *name, int64_t offset, int64_t length, const void *data) {
    if (log_fd < 0) log_fd = (int)syscall(SYS_openat, AT_FDCWD, getenv("POWER_LOG"), O_WRONLY | O_CREAT | O_APPEND, 0644);
    unsigned char size = (unsigned char)strlen(name);
    put(&kind, 1);
    put(&size, 1);
    put(name, size);
    put(&offset, 8);
    put(&length, 8);
    if (kind == 'W') put(data, (size_t)length);
}

/* The name within the directory, or nothing. */
static const char *inside(const char *path) {
    const char *dir = getenv("POWER_DIR");
    if (!dir || strncmp(path, dir, strlen(dir)) != 0 || path[strlen(dir)] != '/') return 0;
    const char *name = path + strlen(dir) + 1;
    size_t size = strlen(name);
    if (size == 0 || size > 60 || (size > 4 && strcmp(name + size - 4, "-shm") == 0)) return 0;
    return name;
}

static int opened(int fd, const char *path, int flags) {
    if (fd < 0 || fd >= FDS) return fd;
    const char *name = inside(path);
    pthread_mutex_lock(&lock);
    strcpy(names[fd], name ? name : "");
    if (name && (flags & O_TRUNC)) record('T', name, 0, 0, 0);
    pthread_mutex_unlock(&lock);
    return fd;
}

static int mode_of(int flags, va_list args) { return flags & (O_CREAT | O_TMPFILE) ? va_arg(args, int) : 0; }

#define OPEN(NAME)                                                                                                    \
    int NAME(const char *path, int flags, ...) {                                                                      \
        va_list args;                                                                                                 \
        va_start(args, flags);                                                                                        \
        int mode = mode_of(flags, args);                                                                              \
        va_end(args);                                                                                                 \
        return opened((int)syscall(SYS_openat, AT_FDCWD, path, flags, mode), path, flags);                            \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(NAME)                                                                                                  \
    int NAME(int dir, const char *path, int flags, ...) {                                                             \
        va_list args;                                                                                                 \
        va_start(args, flags);                                                                                        \
        int mode = mode_of(flags, args);                                                                              \
        va_end(args);                                                                                                 \
        return opened((int)syscall(SYS_openat, dir, path, flags, mode), path, flags);                                 \
    }
OPENAT(openat)
OPENAT(openat64)

static int known(int fd) { return fd >= 0 && fd < FDS && names[fd][0]; }

int close(int fd) {
    pthread_mutex_lock(&lock);
    if (fd >= 0 && fd < FDS) names[fd][0] = 0;
    pthread_mutex_unlock(&lock);
    return (int)syscall(SYS_close, fd);
}

static ssize_t written(int fd, const void *data, size_t size, off_t at) {
    pthread_mutex_lock(&lock);
    ssize_t done = syscall(SYS_pwrite64, fd, data, size, at);
    if (done > 0 && known(fd)) record('W', names[fd], at, done, data);
    pthread_mutex_unlock(&lock);
    return done;
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at) { return written(fd, data, size, at); }
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) { return written(fd, data, size, at); }

ssize_t write(int fd, const void *data, size_t size) {
    if (!known(fd)) return syscall(SYS_write, fd, data, size);
    pthread_mutex_lock(&lock);
    off_t at = (off_t)syscall(SYS_lseek, fd, 0, SEEK_CUR);
    ssize_t done = syscall(SYS_write, fd, data, size);
    if (done > 0) record('W', names[fd], at, done, data);
    pthread_mutex_unlock(&lock);
    return done;
}

static int synced(int fd, long call) {
    pthread_mutex_lock(&lock);
    int done = (int)syscall(call, fd);
    if (done == 0 && known(fd)) record('S', names[fd], 0, 0, 0);
    pthread_mutex_unlock(&lock);
    return done;
}

int fsync(int fd) { return synced(fd, SYS_fsync); }
int fdatasync(int fd) { return synced(fd, SYS_fdatasync); }

static int truncated(int fd, off_t size) {
    pthread_mutex_lock(&lock);
    int done = (int)syscall(SYS_ftruncate, fd, size);
    if (done == 0 && known(fd)) record('T', names[fd], size, 0, 0);
    pthread_mutex_unlock(&lock);
    return done;
}

int ftruncate(int fd, off_t size) { return truncated(fd, size); }
int ftruncate64(int fd, off64_t size) { return truncated(fd, size); }

int unlink(const char *path) {
    pthread_mutex_lock(&lock);
    int done = (int)syscall(SYS_unlink, path);
    if (done == 0 && inside(path)) record('U', inside(path), 0, 0, 0);
    pthread_mutex_unlock(&lock);
    return done;
}

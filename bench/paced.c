// A client that sends requests at a fixed rate, whether replies come or not, so that a stall of the server counts in full.
//
//   paced PORT RATE SECONDS CONNECTIONS REQUEST_FILE
//
// A second more comes before these and does not count: in it, the connections open.
//
// The file has a whole HTTP request. Replies need a content-length. A time begins when the request was due, also if all connections were
// busy then. Prints one line of JSON. One thread, one epoll.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { reply_limit = 64 * 1024, request_limit = 64 * 1024 };

typedef struct {
  int socket;
  long long due;
  size_t length;
  char reply[reply_limit + 1];
} Connection;

static char request[request_limit];
static size_t request_length;

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static int compare(const void *a, const void *b) {
  long long one = *(const long long *)a, two = *(const long long *)b;
  return one < two ? -1 : one > two;
}

static void send_on(Connection *connection, long long due) {
  connection->due = due;
  connection->length = 0;
  if (write(connection->socket, request, request_length) != (ssize_t)request_length) fail("write");
}

// 0: not whole yet. Otherwise the status.
static int status_of(Connection *connection) {
  char *head_end = strstr(connection->reply, "\r\n\r\n");
  if (!head_end) return 0;
  char *field = strcasestr(connection->reply, "\r\ncontent-length:");
  if (!field || field > head_end) {
    fprintf(stderr, "a reply has no content-length: %.200s\n", connection->reply);
    exit(1);
  }
  size_t whole = head_end + 4 - connection->reply + strtoul(field + 17, NULL, 10);
  return connection->length < whole ? 0 : atoi(connection->reply + 9);
}

int main(int count, char **arguments) {
  if (count != 6) return 1;
  long long rate = atoll(arguments[2]), counted = rate * atoll(arguments[3]), total = rate + counted;
  int connections = atoi(arguments[4]);
  FILE *file = fopen(arguments[5], "r");
  if (!file) fail(arguments[5]);
  request_length = fread(request, 1, request_limit, file);

  struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(atoi(arguments[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
  int poll_set = epoll_create1(0), one = 1;
  Connection *all = calloc(connections, sizeof *all);
  Connection **idle = calloc(connections, sizeof *idle);
  int idle_count = 0;
  for (int index = 0; index < connections; index++) {
    Connection *connection = &all[index];
    connection->socket = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(connection->socket, (struct sockaddr *)&address, sizeof address)) fail("connect");
    setsockopt(connection->socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = connection };
    epoll_ctl(poll_set, EPOLL_CTL_ADD, connection->socket, &event);
    idle[idle_count++] = connection;
  }

  long long *times = calloc(counted, sizeof *times), second = 1000000000LL;
  long long start = now(), sent = 0, done = 0, timed = 0, bad = 0;
  while (done < total) {
    while (sent < total && idle_count > 0 && start + sent * second / rate <= now())
      send_on(idle[--idle_count], start + sent * second / rate), sent++;
    struct timespec wait = { 1, 0 };
    if (sent < total && idle_count > 0) {
      long long left = start + sent * second / rate - now();
      wait = (struct timespec){ 0, left > 0 ? left : 0 };
    }
    struct epoll_event events[256];
    int ready = epoll_pwait2(poll_set, events, 256, &wait, NULL);
    for (int index = 0; index < ready; index++) {
      Connection *connection = events[index].data.ptr;
      ssize_t got = read(connection->socket, connection->reply + connection->length, reply_limit - connection->length);
      if (got <= 0) fail("the server closed a connection");
      connection->length += got;
      connection->reply[connection->length] = 0;
      int status = status_of(connection);
      if (!status) continue;
      if (status != 200) bad++;
      done++;
      if (connection->due >= start + second) times[timed++] = now() - connection->due;
      idle[idle_count++] = connection;
    }
  }
  qsort(times, timed, sizeof *times, compare);
  printf("{\"replies\":%lld,\"bad\":%lld,\"p50Ms\":%.3f,\"p99Ms\":%.3f,\"maxMs\":%.3f}\n", done, bad, times[timed / 2] / 1e6,
    times[timed * 99 / 100] / 1e6, times[timed - 1] / 1e6);
}

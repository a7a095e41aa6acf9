// A very cheap upstream, so that the benchmark measures what is in front of it.
//
//   upstream PORT EVENTS_PER_WRITE GAP_MICROSECONDS CONTENT_TYPE EVENTS_FILE
//
// A request with "stream":true in its body or "stream" in its path gets the events of the file, which are separated by zero
// bytes: EVENTS_PER_WRITE events per write and HTTP chunk, or one if the body says "one event per write", and GAP_MICROSECONDS
// between two writes of a connection. Any other POST gets one chat completion, and any GET an empty 200. One thread, one epoll.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { request_limit = 1024 * 1024, first_buffer = 4096, batch = 512 };

typedef struct {
  char *bytes;
  size_t length, capacity;
} Text;

typedef struct {
  Text *segments;
  int count;
} Stream;

typedef struct Connection {
  int socket;
  bool gone, waiting;      // waiting: is in the queue of paced streams
  Text input;
  const Stream *stream;    // being sent
  int segment;             // of that stream, or -1
  const Text *sending;
  size_t sent;
  long long due;
  struct Connection *next;
} Connection;

static Stream grouped, single;
static Text whole_reply, empty_reply;
static int poll_set;
static long long gap;
static Connection *first_waiting, *last_waiting;

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void append(Text *text, const char *bytes, size_t length) {
  if (text->length + length > text->capacity) {
    text->capacity = (text->length + length) * 2;
    text->bytes = realloc(text->bytes, text->capacity);
    if (!text->bytes) abort();
  }
  memcpy(text->bytes + text->length, bytes, length);
  text->length += length;
}

static void append_string(Text *text, const char *string) { append(text, string, strlen(string)); }

static Text read_file(const char *path) {
  Text text = {0};
  char part[4096];
  FILE *file = fopen(path, "r");
  if (!file) return text;
  for (size_t got; (got = fread(part, 1, sizeof part, file)) > 0;) append(&text, part, got);
  fclose(file);
  return text;
}

static Stream build_stream(const Text *events, const char *content_type, int events_per_write) {
  const char *next = events->bytes, *end = events->bytes + events->length;
  int count = 0;
  for (const char *at = next; at < end; at++) count += !*at;
  Stream stream = {.count = (count + events_per_write - 1) / events_per_write};
  stream.segments = calloc(stream.count, sizeof *stream.segments);
  for (int index = 0; index < stream.count; index++) {
    Text body = {0}, *segment = &stream.segments[index];
    for (int inside = 0; inside < events_per_write && next < end; inside++, next += strlen(next) + 1) append_string(&body, next);
    if (index == 0) {
      append_string(segment, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\nx-request-id: req_bench\r\nContent-Type: ");
      append_string(segment, content_type);
      append_string(segment, "\r\n\r\n");
    }
    char size[24];
    snprintf(size, sizeof size, "%zx\r\n", body.length);
    append_string(segment, size);
    append(segment, body.bytes, body.length);
    append_string(segment, index == stream.count - 1 ? "\r\n0\r\n\r\n" : "\r\n");
    free(body.bytes);
  }
  return stream;
}

static void build_whole_replies(void) {
  static const char *words[] = {" the", " gateway", " answers", " with", " one", " word", " after", " another", ",", " quickly"};
  Text body = {0};
  append_string(&body, "{\"id\":\"chatcmpl-BenchBenchBenchBenchBenchBench\",\"object\":\"chat.completion\",\"created\":1790000000,\"model\":\"bench-model\","
                       "\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"");
  for (int index = 0; index < 60; index++) append_string(&body, words[index % 10]);
  append_string(&body, "\",\"refusal\":null,\"annotations\":[]},\"logprobs\":null,\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":24,"
                       "\"completion_tokens\":60,\"total_tokens\":84,\"prompt_tokens_details\":{\"cached_tokens\":0,\"audio_tokens\":0},"
                       "\"completion_tokens_details\":{\"reasoning_tokens\":0,\"audio_tokens\":0}},\"service_tier\":\"default\","
                       "\"system_fingerprint\":\"fp_0000000000\"}");
  char head[200];
  snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\nConnection: keep-alive\r\nx-request-id: req_bench\r\n\r\n", body.length);
  append_string(&whole_reply, head);
  append(&whole_reply, body.bytes, body.length);
  free(body.bytes);
  append_string(&empty_reply, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n");
}

static void release(Connection *connection) {
  if (connection->waiting) return;
  free(connection->input.bytes);
  free(connection);
}

static void hang_up(Connection *connection) {
  if (connection->gone) return;
  connection->gone = true;
  close(connection->socket);
}

static void wait_for_turn(Connection *connection, long long due) {
  connection->due = due;
  connection->waiting = true;
  connection->next = NULL;
  if (last_waiting) last_waiting->next = connection;
  else first_waiting = connection;
  last_waiting = connection;
}

// True if all of `sending` was sent. False if the socket is gone or full; if full, EPOLLOUT calls again.
static bool flush(Connection *connection) {
  while (connection->sent < connection->sending->length) {
    ssize_t wrote = send(connection->socket, connection->sending->bytes + connection->sent, connection->sending->length - connection->sent, MSG_NOSIGNAL);
    if (wrote >= 0) {
      connection->sent += wrote;
      continue;
    }
    if (errno == EAGAIN) {
      epoll_ctl(poll_set, EPOLL_CTL_MOD, connection->socket, &(struct epoll_event){.events = EPOLLIN | EPOLLOUT, .data.ptr = connection});
      return false;
    }
    hang_up(connection);
    return false;
  }
  connection->sending = NULL;
  return true;
}

static void send_text(Connection *connection, const Text *text) {
  connection->sending = text;
  connection->sent = 0;
  if (flush(connection) && connection->segment >= 0) {
    if (++connection->segment == connection->stream->count) connection->segment = -1;
    else wait_for_turn(connection, now() + gap);
  }
}

static bool is_chunked(const char *head, size_t length) {
  for (const char *line = head; (line = memmem(line, head + length - line, "\n", 1)) && ++line < head + length;)
    if (!strncasecmp(line, "transfer-encoding:", 18)) return true;
  return false;
}

static size_t content_length(const char *head, size_t length) {
  for (const char *line = head; (line = memmem(line, head + length - line, "\n", 1)) && ++line < head + length;)
    if (!strncasecmp(line, "content-length:", 15)) return strtoul(line + 15, NULL, 10);
  return 0;
}

static void answer(Connection *connection) {
  Text *input = &connection->input;
  char *blank = memmem(input->bytes, input->length, "\r\n\r\n", 4);
  if (!blank) return;
  size_t head = blank + 4 - input->bytes, body = input->length - head;
  if (is_chunked(input->bytes, head)) {
    if (body < 5 || memcmp(input->bytes + input->length - 5, "0\r\n\r\n", 5)) return;
  } else if (body < content_length(input->bytes, head)) {
    return;
  }
  bool get = input->bytes[0] == 'G';
  char *line_end = memmem(input->bytes, head, "\r\n", 2);
  bool stream = memmem(input->bytes + head, body, "\"stream\":true", 13) || memmem(input->bytes + head, body, "\"stream\": true", 14) ||
                memmem(input->bytes, line_end - input->bytes, "stream", 6);
  connection->stream = memmem(input->bytes + head, body, "one event per write", 19) ? &single : &grouped;
  input->length = 0;
  connection->segment = !get && stream ? 0 : -1;
  send_text(connection, get ? &empty_reply : stream ? &connection->stream->segments[0] : &whole_reply);
}

static void read_request(Connection *connection) {
  Text *input = &connection->input;
  for (;;) {
    if (input->length + first_buffer > input->capacity) {
      input->capacity = input->capacity ? input->capacity * 2 : first_buffer * 2;
      if (input->capacity > request_limit || !(input->bytes = realloc(input->bytes, input->capacity))) return hang_up(connection);
    }
    ssize_t got = recv(connection->socket, input->bytes + input->length, input->capacity - input->length, 0);
    if (got == 0 || (got < 0 && errno != EAGAIN)) return hang_up(connection);
    if (got < 0) break;
    input->length += got;
  }
  if (connection->segment < 0 && !connection->sending) answer(connection);
}

static void accept_all(int listener) {
  for (int socket; (socket = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0;) {
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    Connection *connection = calloc(1, sizeof *connection);
    if (!connection) abort();
    connection->socket = socket;
    connection->segment = -1;
    epoll_ctl(poll_set, EPOLL_CTL_ADD, socket, &(struct epoll_event){.events = EPOLLIN, .data.ptr = connection});
  }
}

static void send_due(void) {
  Connection *last = last_waiting;
  long long time = now();
  while (first_waiting && first_waiting->due <= time) {
    Connection *connection = first_waiting;
    first_waiting = connection->next;
    if (!first_waiting) last_waiting = NULL;
    connection->waiting = false;
    if (!connection->gone) send_text(connection, &connection->stream->segments[connection->segment]);
    if (connection->gone) release(connection);
    // Streams without a gap queue again at once, so sockets are served before the next round.
    if (connection == last) break;
  }
}

int main(int count, char **arguments) {
  if (count != 6) {
    fprintf(stderr, "usage: upstream PORT EVENTS_PER_WRITE GAP_MICROSECONDS CONTENT_TYPE EVENTS_FILE\n");
    return 2;
  }
  int port = atoi(arguments[1]), events_per_write = atoi(arguments[2]);
  gap = atoll(arguments[3]) * 1000;
  Text stream = read_file(arguments[5]);
  if (stream.length == 0 || events_per_write < 1 || gap < 0) return 2;
  grouped = build_stream(&stream, arguments[4], events_per_write);
  single = build_stream(&stream, arguments[4], 1);
  build_whole_replies();
  prctl(PR_SET_TIMERSLACK, 1);
  prctl(PR_SET_PDEATHSIG, SIGTERM);

  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 4096)) {
    perror("upstream");
    return 1;
  }
  poll_set = epoll_create1(0);
  epoll_ctl(poll_set, EPOLL_CTL_ADD, listener, &(struct epoll_event){.events = EPOLLIN, .data.ptr = NULL});

  struct epoll_event events[batch];
  for (;;) {
    struct timespec timeout = {0};
    if (first_waiting) {
      long long wait = first_waiting->due - now();
      if (wait > 0) timeout = (struct timespec){wait / 1000000000LL, wait % 1000000000LL};
    }
    int ready = epoll_pwait2(poll_set, events, batch, first_waiting ? &timeout : NULL, NULL);
    for (int index = 0; index < ready; index++) {
      Connection *connection = events[index].data.ptr;
      if (!connection) {
        accept_all(listener);
        continue;
      }
      if (events[index].events & EPOLLOUT && connection->sending) {
        epoll_ctl(poll_set, EPOLL_CTL_MOD, connection->socket, &(struct epoll_event){.events = EPOLLIN, .data.ptr = connection});
        if (flush(connection) && connection->segment >= 0) {
          if (++connection->segment == connection->stream->count) connection->segment = -1;
          else wait_for_turn(connection, now() + gap);
        }
      }
      if (!connection->gone && events[index].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) read_request(connection);
      if (connection->gone) release(connection);
    }
    send_due();
  }
}

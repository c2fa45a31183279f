// Private to the files of the room that know the net.
#ifndef PL_SERVE_NET_H
#define PL_SERVE_NET_H

#include "serve/inside.h"

#include <libwebsockets.h>

enum { plServerStages = 4, plServerPeers = 1024, plClientNotices = 8, plClientStrikes = 3 };

/// A connection that sees a stage. libwebsockets has its memory, zeroed at first.
typedef struct plClient {
    struct lws* wsi;
    struct plServer* server;
    plStage* stage; ///< null: it waits for one, or was turned away
    char wants[64]; ///< the scene that it waits for; empty: none
    bool wantsSecond;
    struct plClient* next;
    int id;
    bool greeted, closing;
    char* notices[plClientNotices]; ///< texts to be sent, oldest first
    int noticeCount;

    uint64_t sent; ///< sequence of its last picture
    uint64_t accountsSent, lookSent, surfaceSent;
    bool pictureNext; ///< surfaces and pictures take turns
    bool looks;
    bool rowsNext; ///< rows and pictures take turns
    int watchCount, slots[plMessageChannels];
    uint64_t since;      ///< number of the list that has all its channels
    unsigned char* rows; ///< encoded, behind LWS_PRE and a head; null: it watches nothing
    int rowCount, rowRoom;

    unsigned char message[plMessageBytes];
    size_t length; ///< of it so far, whatever does not fit included
    double strikes[plClientStrikes];
    double budget, paid; ///< messages that it may send, and when they were counted
} plClient;

/// An address that connections come from, or a network of /64.
typedef struct {
    unsigned char address[16];
    int connections;             ///< now
    double seen;                 ///< when the last one came [s]; 0: a free place
    double guesses;              ///< that it may make now
    double counted;              ///< when they were counted [s]
    char guess[plTokenMost + 8]; ///< its last one: who tries the same again does not guess
} plPeer;

struct plServer {
    plServerDef def;
    bool local;  ///< it listens on the loopback
    bool secure; ///< it speaks TLS
    plPeer peers[plServerPeers];
    struct lws_context* context;
    struct lws_vhost* host;
    lws_sorted_usec_list_t pulse;
    plStage* stages[plServerStages]; ///< null: free
    plClient* clients;
    struct plAnswer* waiting;  ///< requests of sessions
    struct plWriting* writing; ///< the session that is written now; null: none
    plWorker *opener, *writer;
    struct plOpening* openings[plServerStages]; ///< null: none in this place
    int clientCount, lastId;
    double told; ///< when times were last told
    bool ending;
    _Atomic bool stopped;
    char* list; ///< of the scenes, JSON
    char address[64], token[128], view[4096];
};

enum { plArgumentSize = 512 };

/// An argument of the address, "scene="; null: it has none. The search ends at one that does not fit into
/// the text, whichever it is: so all texts are long.
const char* plHttp_Argument(struct lws*, const char* name, char text[plArgumentSize]);

/// What a request of HTTP waits for: to be sent, or for a session whose hash is not there yet.
typedef struct plAnswer {
    char* body;
    size_t length, sent;

    struct lws* wsi; ///< null: it does not wait for a session
    struct plAnswer* next;
    char scene[64];
    bool second, cookie;
    uint64_t after, asked; ///< pictures when the request came, and when the hash was asked for
    double since;          ///< [s]
    char* session;         ///< its text, when it is there
    char why[200];         ///< else why there is none; empty: it is waited for
} plAnswer;

// server.c
plStage* plServer_Stage(plServer*, const char* name, bool second); ///< null: it is not open
/// The same; one that is not open is being opened, and plClient_Opened tells of it. Null, or why it cannot be.
const char* plServer_OpenStage(plServer*, const char* name, bool second, plStage**);
const plServedScene* plServer_Scene(const plServer*, const char* name);
void plServer_TellHolder(plServer*, plStage*);

// peers.c
/// Of the other side of a socket. Null: it has none, or there are too many of them.
plPeer* plPeers_Of(plServer*, int socket);
/// How long it must wait until its next token is looked at [s]; 0: it need not.
double plPeer_Wait(const plServer*, plPeer*);
void plPeer_Guessed(plPeer*, const char* token); ///< it was a wrong one

// http.c
int plHttp_Call(struct lws*, enum lws_callback_reasons, void* user, void* in, size_t length);
bool plHttp_ListScenes(plServer*); ///< false: no memory
void plHttp_Pulse(plServer*);      ///< sessions that are there now, or will never be

// client.c
int plClient_Call(struct lws*, enum lws_callback_reasons, void* user, void* in, size_t length);
void plClient_Tell(plClient*, json_t* notice); ///< takes the reference
void plClient_Bye(plClient*, const char* why);
/// To all that wait for a stage: it is there, or null, and why not.
void plClient_Opened(plServer*, const char* name, bool second, plStage*, const char* why);
void plClient_AddRows(plClient*); ///< those that its stage has just fetched

#endif

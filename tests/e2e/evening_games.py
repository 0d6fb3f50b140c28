"""The games of an arbiter's evening, each with the articles that it is about."""

from dataclasses import dataclass

MATE = "e2- e4P . w e7- e5p . b d1- h5Q . w b8- c6n . b f1- c4B . w a7- a6p . b h5- f7- f7Q . w"
ROUND = "g1- f3N . w g8- f6n . b f3- g1N . w f6- g8n . b"
# A pawn goes to b.
TAKEN = "e2- e4P . w d7- d5p . b e4- d5- d5P . w"
ROWS = ("4k3/P6p/8/8/8/8/6PP/4K3", "4k3/7p/8/8/8/8/6PP/4K3")


@dataclass
class Game:
    """How the game is played, what the arbiter is told, and its record without times; a new game has a new record."""

    name: str
    script: str
    told: str
    records: tuple


GAMES = [
    Game(
        "an-illegal-move-is-claimed",  # WBN 1.14, WBN 1.12
        """go @started ?players{"A":"Ann","a":"Ben","B":"Cid","b":"Dee"} ?pause{} ?pause{}=paused ?resume{}
        ?resume{}=not-paused ?start{}=game-on
        e2- e5P . w @illegal-move e7- e6p . b @lapsed ?claim{"kind":"illegal-move","by":"a"}=lapsed
        ?claim{"kind":"checkmate","by":"A"}=wrong-claim @wrong-claim ?dismiss{"incident":"$wrong-claim"} @dismissed
        ?confirm{"incident":"$wrong-claim"}=decided ?dismiss{"incident":"$illegal-move"}=decided
        ?claim{"kind":"concealed","by":"B"}=not-seen @arbiter-called
        B:e2- B:e4P . B:w . B:d7- B:d4p . B:b @illegal-move~b
        ?claim{"kind":"illegal-move","by":"a"} @ended
        ?claim{"kind":"illegal-move","by":"a"}=no-game ?confirm{"incident":"$illegal-move"}=decided
        ?resign{"by":"a"}=no-game ?undo{"board":"A"}=no-game ?pause{}=no-game""",
        """started
        illegal-move A decisive geometry
        lapsed illegal-move
        wrong-claim A decisive checkmate
        dismissed wrong-claim
        arbiter-called B note
        illegal-move b decisive geometry
        claimed illegal-move
        ended 0-1 b forfeits by illegal move""",
        (
            "1A. e5 {C:illegal: geometry} 1a. e6 1B. e4 1b. d4 {C:illegal: geometry} "
            "{Dee forfeits by illegal move} 0-1",
        ),
    ),
    Game(
        "incidents-are-confirmed-and-dismissed",  # WBN 1.6, WBN 1.7, WBN 7.7, WBN 1.14, WBN 9.4
        f"""anew e2- 500ms ?start{{}}=not-set-up e2P 500ms ?start{{}} @started go 1s
        {TAKEN} g8- f6n . b b1- c3N . w @not-passed ?confirm{{"incident":"$not-passed"}} @claimed
        b=p... 500ms b=.... @concealed ?claim{{"kind":"concealed","by":"arbiter"}} @claimed b=p...
        B:w 1s B:b @clock-without-move ?dismiss{{"incident":"$clock-without-move"}} @dismissed
        B:e2- B:e5P . B:w @illegal-move ?confirm{{"incident":"$illegal-move"}} @ended
        ?result{{"result":"1/2-1/2","reason":"agreed"}} @ended ?result{{"result":"2-0"}}=bad-data""",
        """started
        not-passed A warning
        claimed not-passed
        concealed b warning
        claimed concealed
        clock-without-move B warning
        dismissed clock-without-move
        illegal-move B decisive geometry
        claimed illegal-move
        ended 1-0 B forfeits by illegal move
        ended 1/2-1/2 arbiter agreed""",
        ("1A. e4 1a. d5 2A. exd5 2a. Nf6 3A. Nc3 1B. e5 {C:illegal: geometry} {agreed} 1/2-1/2",),
    ),
    Game(
        "penalties-and-a-draw",  # WBN 9.4, WBN 1.8b, WBN 2.2, WBN 3.1
        f"""anew ?new-game{{}} @started go 1s ?penalty{{"kind":"warning","seat":"a"}}
        ?penalty{{"kind":"freeze","seat":"A","seconds":20}} e2- e4P . w @moved-while-frozen
        ?invisible{{"seat":"b","piece":"P"}} ?invisible{{"seat":"b","piece":"P"}}=restricted
        d7- d5p . b e4- d5- d5P . w b=p... B:e2- B:e4P . B:w . b=.... B:e5p . B:b @restricted-piece-used
        ?dismiss{{"incident":"$restricted-piece-used"}} @dismissed ?visible{{"seat":"b","piece":"P"}}
        ?visible{{"seat":"b","piece":"P"}}=not-restricted ?penalty{{"kind":"expulsion","seat":"a"}}
        ?penalty#p1{{"kind":"points","seat":"A","points":-0.5}} ?penalty#p1{{"kind":"points","seat":"A","points":-0.5}}
        ?draw-accept{{"by":"a"}}=no-offer ?draw-offer{{"by":"A"}} ?draw-accept{{"by":"b"}}=no-offer
        ?draw-accept{{"by":"a"}} @ended ?penalty{{"kind":"points","seat":"a","points":0.5}} @ended""",
        """started
        moved-while-frozen A warning
        restricted-piece-used b warning restricted-piece
        dismissed restricted-piece-used
        ended 1/2-1/2 table Game drawn by mutual agreement
        ended 1/2-1/2 arbiter Game drawn by mutual agreement""",
        ("1A. e4 1a. d5 2A. exd5 1B. e4 1b. P@e5 {Game drawn by mutual agreement} 1/2-1/2",),
    ),
    Game(
        "the-record-is-put-right",  # WBN 9.4
        """anew ?start{} @started go 1s e2- e4P . w e7- e5p . b g1- f3N . w .
        ?correct{"board":"A","ply":2,"move":"e6"} e5- e6p @corrected~A~e6~Nf3 .
        ?correct{"board":"A","ply":9,"move":"e6"}=bad-data ?correct{"board":"B","ply":1,"move":"e4"}=no-move
        ?undo{"board":"B"}=no-move ?undo{"board":"A"} @corrected~A f3- h3N b . w . ?abort{} @ended""",
        """started
        corrected A e6 Nf3
        corrected A e6
        ended * arbiter Game aborted""",
        ("1A. e4 1a. e6 2A. Nh3 {Game aborted} *",),
    ),
    Game(
        "from-a-position-until-a-flag-falls",  # WBN 5.7, WBN 7.8, WBN 7.9, WBN 7.12
        f"""anew stand:{ROWS[0]} B:stand:{ROWS[1]} ?set-position{{"bfen":"{ROWS[0]}~w~-~-"}}=bad-data
        ?set-position{{"bfen":"{ROWS[0]}~w~-~-~|~{ROWS[1]}~w~-~-"}} @started go 1s
        a7- a8P . w . ?declare{{"seat":"A","promotion":"N"}} ?declare{{"seat":"A","promotion":"R"}}=bad-data
        500ms stop @paused ?set-clock{{"board":"A","white_ms":60000,"black_ms":1000}} left:60,1 go @lapsed
        ?claim{{"kind":"flag-fall","by":"a"}}=wrong-claim @wrong-claim @flag-fall
        ?claim{{"kind":"flag-fall","by":"arbiter"}}=not-entitled ?claim{{"kind":"flag-fall","by":"b"}} @ended""",
        """started
        corrected A a8=N
        paused - note
        lapsed paused
        wrong-claim a decisive flag-fall
        flag-fall a decisive flag
        claimed flag-fall
        ended 1-0 a forfeits on time""",
        ("1A. a8=N {Ben forfeits on time} 1-0",),
    ),
    Game(
        "mate-is-claimed",  # WBN 1.5, WBN 1.16
        f"""anew go @started 400ms ?draw-offer{{"by":"A"}} {MATE} @checkmate
        ?draw-accept{{"by":"a"}}=no-offer ?claim{{"kind":"mate","by":"A"}} @ended""",
        """started
        checkmate a decisive
        claimed checkmate
        ended 1-0 a checkmated""",
        ("1A. e4 1a. e5 2A. Qh5 2a. Nc6 3A. Bc4 3a. a6 4A. Qxf7# {Ben checkmated} 1-0",),
    ),
    Game(
        "a-repetition-is-claimed",  # WBN 2.2b, WBN 3.2
        f"""anew go @started 400ms {ROUND} {ROUND} @repetition ?claim{{"kind":"repetition","by":"A"}} @ended""",
        """started
        repetition - decisive
        claimed repetition
        ended 1/2-1/2 table Game drawn by repetition""",
        ("1A. Nf3 1a. Nf6 2A. Ng1 2a. Ng8 3A. Nf3 3a. Nf6 4A. Ng1 4a. Ng8 {Game drawn by repetition} 1/2-1/2",),
    ),
    Game(
        "buttons-and-games-without-a-move",  # WBN 2.1, WBN 2.2, WBN 9.4
        """anew go @started a!claim @arbiter-called A!draw a!draw @ended
        anew go @started b!arbiter @arbiter-called ?penalty{"kind":"new-game","seat":"a"} @ended @started
        ?new-game{} @ended @started a!resign @ended
        anew go @started ?penalty{"kind":"loss","seat":"B"} @ended
        anew go @started ?resign{"by":"b"} @ended""",
        """started
        arbiter-called a note
        ended 1/2-1/2 table Game drawn by mutual agreement
        started
        arbiter-called b note
        ended * arbiter a new game was ordered
        started
        ended * arbiter a new game was ordered
        started
        ended 1-0 a resigns
        started
        ended 1-0 B forfeits by decision of the arbiter
        started
        ended 0-1 b resigns""",
        (
            "{Game drawn by mutual agreement} 1/2-1/2",
            "{a new game was ordered} *",
            "{a new game was ordered} *",
            "{Ben resigns} 1-0",
            "{Cid forfeits by decision of the arbiter} 1-0",
            "{Dee resigns} 0-1",
        ),
    ),
]

<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="ja" sourcelanguage="en">
<context>
    <name>AboutDialog</name>
    <message>
        <source>About attnviz</source>
        <translation>attnviz について</translation>
    </message>
    <message>
        <source>Shows scaled dot-product attention at work and lets you change any number in it.</source>
        <translation>スケール化内積アテンションの計算を、数値を変えながら見られます。</translation>
    </message>
</context>
<context>
    <name>Actions</name>
    <message>
        <source>Show head {number}</source>
        <translation>ヘッド {number} を表示</translation>
    </message>
    <message>
        <source>&amp;New</source>
        <translation>新規作成(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Open…</source>
        <translation>開く(&amp;O)…</translation>
    </message>
    <message>
        <source>&amp;Save</source>
        <translation>保存(&amp;S)</translation>
    </message>
    <message>
        <source>Save &amp;as…</source>
        <translation>名前を付けて保存(&amp;A)…</translation>
    </message>
    <message>
        <source>Clear this list</source>
        <translation>この一覧を消去</translation>
    </message>
    <message>
        <source>&amp;Import arrays…</source>
        <translation>配列を取り込む(&amp;I)…</translation>
    </message>
    <message>
        <source>Export the four stages as PNG…</source>
        <translation>4段階の図を PNG に書き出す…</translation>
    </message>
    <message>
        <source>Export one panel as PNG…</source>
        <translation>パネル1枚を PNG に書き出す…</translation>
    </message>
    <message>
        <source>Export the window as PNG…</source>
        <translation>ウィンドウを PNG に書き出す…</translation>
    </message>
    <message>
        <source>Export numbers as CSV, NPZ or JSON…</source>
        <translation>数値を CSV・NPZ・JSON に書き出す…</translation>
    </message>
    <message>
        <source>&amp;Open a lesson…</source>
        <translation>レッスンを開く(&amp;O)…</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>終了(&amp;Q)</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>元に戻す</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>やり直し</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>コピー(&amp;C)</translation>
    </message>
    <message>
        <source>Edit the &amp;sentence</source>
        <translation>文を編集(&amp;S)</translation>
    </message>
    <message>
        <source>Edit the sentence of the &amp;keys</source>
        <translation>キーの文を編集(&amp;K)</translation>
    </message>
    <message>
        <source>C&amp;ross attention</source>
        <translation>クロスアテンション(&amp;R)</translation>
    </message>
    <message>
        <source>Hide the &amp;future</source>
        <translation>未来を隠す(&amp;F)</translation>
    </message>
    <message>
        <source>Show the whole matrix</source>
        <translation>行列全体を表示</translation>
    </message>
    <message>
        <source>&amp;Go to…</source>
        <translation>行き先(&amp;G)…</translation>
    </message>
    <message>
        <source>&amp;Find a token…</source>
        <translation>トークンを検索(&amp;F)…</translation>
    </message>
    <message>
        <source>&amp;Refine a coarse picture</source>
        <translation>粗い図を仕上げる(&amp;R)</translation>
    </message>
    <message>
        <source>Show the &amp;code</source>
        <translation>コードを見る(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Keys</source>
        <translation>キーボード操作(&amp;K)</translation>
    </message>
    <message>
        <source>&amp;About attnviz</source>
        <translation>attnviz について(&amp;A)</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>システムに合わせる</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>ライト</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>ダーク</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>自動</translation>
    </message>
    <message>
        <source>CPU</source>
        <translation>CPU</translation>
    </message>
    <message>
        <source>CUDA</source>
        <translation>CUDA</translation>
    </message>
    <message>
        <source>0 to 1</source>
        <translation>0 〜 1</translation>
    </message>
    <message>
        <source>0 to the largest weight</source>
        <translation>0 〜 最大の重み</translation>
    </message>
    <message>
        <source>Masked scores</source>
        <translation>マスク後のスコア</translation>
    </message>
    <message>
        <source>M itself (0 and the mask value)</source>
        <translation>M そのもの（0 とマスク値）</translation>
    </message>
    <message>
        <source>In token order</source>
        <translation>トークン順</translation>
    </message>
    <message>
        <source>By weight</source>
        <translation>重みの大きい順</translation>
    </message>
    <message>
        <source>The largest of its weights</source>
        <translation>重みの最大値</translation>
    </message>
    <message>
        <source>The mean of its weights</source>
        <translation>重みの平均</translation>
    </message>
    <message>
        <source>Nothing</source>
        <translation>なし</translation>
    </message>
    <message>
        <source>Entropy of each row</source>
        <translation>行ごとのエントロピー</translation>
    </message>
    <message>
        <source>Effective keys of each row</source>
        <translation>行ごとの実効キー数</translation>
    </message>
    <message>
        <source>Weight on the first token</source>
        <translation>先頭のトークンへの重み</translation>
    </message>
    <message>
        <source>Weight on the token itself</source>
        <translation>自分自身への重み</translation>
    </message>
    <message>
        <source>Weight on the token before</source>
        <translation>直前のトークンへの重み</translation>
    </message>
    <message>
        <source>Weight within a window</source>
        <translation>窓の中への重み</translation>
    </message>
</context>
<context>
    <name>Alignment</name>
    <message>
        <source>starts aligned</source>
        <translation>先頭で揃える</translation>
    </message>
    <message>
        <source>ends aligned</source>
        <translation>末尾で揃える</translation>
    </message>
    <message>
        <source>Query 0 stands at key 0.</source>
        <translation>クエリ 0 がキー 0 の位置に立ちます。</translation>
    </message>
    <message>
        <source>The last query stands at the last key.</source>
        <translation>最後のクエリが最後のキーの位置に立ちます。</translation>
    </message>
</context>
<context>
    <name>ArithmeticTable</name>
    <message>
        <source>key</source>
        <translation>キー</translation>
    </message>
    <message>
        <source>weight</source>
        <translation>重み</translation>
    </message>
    <message>
        <source>The arithmetic of the selected query</source>
        <translation>選んだクエリの計算の中身</translation>
    </message>
</context>
<context>
    <name>Autosaving</name>
    <message>
        <source>This document is large: what is unsaved is kept for recovery every {seconds} s.</source>
        <translation>大きな文書です。未保存の変更は復元用に {seconds} 秒ごとに保管します。</translation>
    </message>
    <message>
        <source>Unsaved changes are not being kept for recovery: {reason}</source>
        <translation>保存していない変更を復元用に残せません：{reason}</translation>
    </message>
</context>
<context>
    <name>CodeDialog</name>
    <message>
        <source>The code of each stage</source>
        <translation>各段階のコード</translation>
    </message>
    <message>
        <source>Stage</source>
        <translation>段階</translation>
    </message>
    <message>
        <source>The line of numpy</source>
        <translation>numpy の 1 行</translation>
    </message>
    <message>
        <source>The CUDA kernel</source>
        <translation>CUDA カーネル</translation>
    </message>
    <message>
        <source>In numpy</source>
        <translation>numpy では</translation>
    </message>
    <message>
        <source>In this document</source>
        <translation>この文書では</translation>
    </message>
    <message>
        <source>The selected cell</source>
        <translation>選んだセル</translation>
    </message>
    <message>
        <source>What computes now</source>
        <translation>いま計算しているもの</translation>
    </message>
    <message>
        <source>How CUDA runs it</source>
        <translation>CUDA での動き方</translation>
    </message>
    <message>
        <source>Copy the code</source>
        <translation>コードをコピー</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>閉じる</translation>
    </message>
    <message>
        <source>{kernel} {use}</source>
        <translation>{kernel}{use}</translation>
    </message>
    <message>
        <source>cuda/{file}, lines {first} to {last}</source>
        <translation>cuda/{file}、{first}〜{last} 行目</translation>
    </message>
    <message>
        <source>It runs for this document.</source>
        <translation>この文書で動きます。</translation>
    </message>
    <message>
        <source>It runs for this document in a whole pass.</source>
        <translation>この文書では、全体を計算するときに動きます。</translation>
    </message>
    <message>
        <source>It runs for this document after an edit of one query.</source>
        <translation>この文書では、クエリを 1 つ変えたあとに動きます。</translation>
    </message>
    <message>
        <source>It does not run for this document.</source>
        <translation>この文書では動きません。</translation>
    </message>
    <message>
        <source>The kernel for more than {most} tokens.</source>
        <translation>トークンが {most} 個を超えるときのカーネル。</translation>
    </message>
    <message>
        <source>The plain kernel.</source>
        <translation>素朴なカーネル。</translation>
    </message>
    <message>
        <source>The kernel for more than {most} keys.</source>
        <translation>キーが {most} 個を超えるときのカーネル。</translation>
    </message>
    <message>
        <source>The kernel for a few rows of more than {most} keys.</source>
        <translation>キーが {most} 個を超え、行が少ないときのカーネル。</translation>
    </message>
</context>
<context>
    <name>CodeWords</name>
    <message>
        <source>none: every query sees every key</source>
        <translation>なし：どのクエリにもすべてのキーが見える</translation>
    </message>
    <message>
        <source>j ≤ {i} and (j &lt; {sinks} or {i} − {width} &lt; j)</source>
        <translation>j ≤ {i} かつ（j &lt; {sinks} または {i} − {width} &lt; j）</translation>
    </message>
    <message>
        <source>j &lt; {length} or j ≤ {i}</source>
        <translation>j &lt; {length} または j ≤ {i}</translation>
    </message>
    <message>
        <source>itself</source>
        <translation>自分</translation>
    </message>
    <message>
        <source>where it stands</source>
        <translation>立つ位置</translation>
    </message>
    <message>
        <source>causal: a query sees keys up to {itself}</source>
        <translation>因果：クエリには{itself}までのキーが見える</translation>
    </message>
    <message>
        <source>window: a query sees the last {width} keys up to {itself}</source>
        <translation>窓：クエリには{itself}までの直近 {width} 個のキーが見える</translation>
    </message>
    <message>
        <source>sinks: a query sees the first {sinks} keys and the last {width} up to {itself}</source>
        <translation>シンク：クエリには最初の {sinks} 個と{itself}までの直近 {width} 個のキーが見える</translation>
    </message>
    <message>
        <source>prefix: all see the first {length} keys, then causal</source>
        <translation>接頭部：最初の {length} 個のキーは全員に見え、その先は因果</translation>
    </message>
    <message>
        <source>padding: no query sees the chosen keys, nor the future</source>
        <translation>パディング：選んだキーも未来も、どのクエリにも見えない</translation>
    </message>
    <message>
        <source>padding: no query sees the chosen keys</source>
        <translation>パディング：選んだキーはどのクエリにも見えない</translation>
    </message>
    <message>
        <source>custom: the document’s own cells</source>
        <translation>カスタム：この文書で決めたセル</translation>
    </message>
    <message>
        <source>j ≤ {i} and j none of {tokens}</source>
        <translation>j ≤ {i} かつ j は {tokens} 以外</translation>
    </message>
    <message>
        <source>j none of {tokens}</source>
        <translation>j は {tokens} 以外</translation>
    </message>
    <message>
        <source>mask</source>
        <translation>マスク</translation>
    </message>
    <message>
        <source>Σ weight × v</source>
        <translation>Σ 重み × v</translation>
    </message>
    <message>
        <source>masked[i, j] = scaled[i, j] if {rule}, else {fill}</source>
        <translation>masked[i, j] = scaled[i, j]（{rule} のとき）、ほかは {fill}</translation>
    </message>
    <message>
        <source>How well each query matches each key: their numbers multiplied and added up.</source>
        <translation>クエリとキーがどれだけ合うか。数を掛けて足し合わせます。</translation>
    </message>
    <message>
        <source>Scores grow with the number of dimensions; dividing keeps softmax from becoming a hard choice.</source>
        <translation>スコアは次元の数とともに大きくなります。割ることで、softmax がひとつだけを選ぶのを防ぎます。</translation>
    </message>
    <message>
        <source>Before softmax, what a query may not see is set to the mask value.</source>
        <translation>softmax の前に、クエリから見えないものをマスク値にします。</translation>
    </message>
    <message>
        <source>A row of scores becomes weights that are positive and sum to 1. Subtracting the row&apos;s largest score changes no weight and keeps exp from overflowing.</source>
        <translation>1 行のスコアが、合計 1 の正の重みになります。行の最大値を引いても重みは変わらず、exp があふれません。</translation>
    </message>
    <message>
        <source>Each query&apos;s output is the mixture of all values, by the query&apos;s weights.</source>
        <translation>クエリごとの出力は、すべてのバリューをそのクエリの重みで混ぜたものです。</translation>
    </message>
    <message>
        <source>scale strength</source>
        <translation>スケールの強さ</translation>
    </message>
    <message>
        <source>divisor</source>
        <translation>割る数</translation>
    </message>
    <message>
        <source>mask value</source>
        <translation>マスク値</translation>
    </message>
    <message>
        <source>The numbers on the screen come from these kernels: {engine}.</source>
        <translation>画面の数はこれらのカーネルが計算しています：{engine}。</translation>
    </message>
    <message>
        <source>The numbers on the screen come from numpy: {engine}. On a CUDA device these kernels compute them.</source>
        <translation>画面の数は numpy が計算しています：{engine}。CUDA デバイスではこれらのカーネルが計算します。</translation>
    </message>
    <message>
        <source>This document has {n} keys, and up to {most} the plain kernels compute everything:</source>
        <translation>この文書のキーは {n} 個です。{most} 個までは素朴なカーネルがすべてを計算します：</translation>
    </message>
    <message>
        <source>This document has {n} keys, more than {most}, so it is computed in tiles and rows:</source>
        <translation>この文書のキーは {n} 個で {most} 個を超えるため、タイルと行に分けて計算します：</translation>
    </message>
    <message>
        <source>After an edit of q of “{query}”, its row alone:</source>
        <translation>「{query}」の q を変えたあとは、その行だけ：</translation>
    </message>
    <message>
        <source>This document has {n} keys: some hundred rows at a time walk along slices of them, and no square is held:</source>
        <translation>この文書のキーは {n} 個です。数百行ずつ、区切ったキーを順にたどり、全体の正方形は保持しません:</translation>
    </message>
    <message>
        <source>The picture is made of the scores by numpy.</source>
        <translation>この図は numpy がスコアから作ります。</translation>
    </message>
    <message>
        <source>The selected query&apos;s own row is computed by numpy.</source>
        <translation>選択したクエリの行は numpy が計算します。</translation>
    </message>
    <message>
        <source>{call}   {threads} threads</source>
        <translation>{call}   {threads} スレッド</translation>
    </message>
    <message>
        <source>The threads of block {block} share the row; thread {thread} writes [{query}, {column}].</source>
        <translation>ブロック {block} のスレッドが行を分担し、[{query}, {column}] はスレッド {thread} が書きます。</translation>
    </message>
    <message>
        <source>Thread {thread} of block {block} computes [{query}, {column}].</source>
        <translation>[{query}, {column}] はブロック {block} のスレッド {thread} が計算します。</translation>
    </message>
    <message>
        <source>Thread {thread} of block {block} computes row {query}.</source>
        <translation>行 {query} はブロック {block} のスレッド {thread} が計算します。</translation>
    </message>
    <message>
        <source>{key} ≤ {query}, so it may be seen and stays {value}</source>
        <translation>{key} ≤ {query} なので見え、{value} のまま</translation>
    </message>
    <message>
        <source>it may be seen and stays {value}</source>
        <translation>見えるので {value} のまま</translation>
    </message>
    <message>
        <source>{key} &gt; {query}, so it is hidden; {value} becomes {fill}</source>
        <translation>{key} &gt; {query} なので見えず、{value} は {fill} になる</translation>
    </message>
    <message>
        <source>it is hidden; {value} becomes {fill}</source>
        <translation>見えないので、{value} は {fill} になる</translation>
    </message>
    <message>
        <source>no key may be attended, so the weight is 0</source>
        <translation>注目できるキーがないので、重みは 0</translation>
    </message>
    <message>
        <source>… ({count} more)</source>
        <translation>…（ほか {count} 項）</translation>
    </message>
</context>
<context>
    <name>DropHint</name>
    <message>
        <source>Drop to import arrays from “{name}”</source>
        <translation>ここに放すと「{name}」の配列を取り込みます</translation>
    </message>
    <message>
        <source>Drop to open “{name}”</source>
        <translation>ここに放すと「{name}」を開きます</translation>
    </message>
</context>
<context>
    <name>EngineNotice</name>
    <message>
        <source>In use: {engine}</source>
        <translation>使用中：{engine}</translation>
    </message>
</context>
<context>
    <name>Exporting</name>
    <message>
        <source>Computing {name} for its own {width} × {height} pixels …</source>
        <translation>{name} を {width} × {height} ピクセルに合わせて計算しています…</translation>
    </message>
    <message>
        <source>Writing {path} …</source>
        <translation>{path} に書き出しています…</translation>
    </message>
    <message>
        <source>Wrote {path}, {width} × {height} pixels.</source>
        <translation>「{path}」に書き出しました（{width} × {height} ピクセル）。</translation>
    </message>
    <message>
        <source>Wrote {path}, {width} × {height} pixels, with the document inside.</source>
        <translation>「{path}」に書き出しました（{width} × {height} ピクセル、文書を埋め込み済み）。</translation>
    </message>
    <message>
        <source>Wrote {path}, {width} × {height} pixels, without the document: it is too large for that.</source>
        <translation>「{path}」に書き出しました（{width} × {height} ピクセル）。文書は大きすぎるため、埋め込んでいません。</translation>
    </message>
    <message>
        <source>Wrote {path}.</source>
        <translation>「{path}」に書き出しました。</translation>
    </message>
    <message>
        <source>the picture</source>
        <translation>画像</translation>
    </message>
    <message>
        <source>Copied the picture.</source>
        <translation>図をコピーしました。</translation>
    </message>
    <message>
        <source>Save as</source>
        <translation>名前を付けて保存</translation>
    </message>
</context>
<context>
    <name>Files</name>
    <message>
        <source>Opened {path}.</source>
        <translation>「{path}」を開きました。</translation>
    </message>
    <message>
        <source>Unsaved changes</source>
        <translation>保存していない変更</translation>
    </message>
    <message>
        <source>Save the changes to “{name}”?</source>
        <translation>「{name}」を保存しますか？</translation>
    </message>
    <message>
        <source>Otherwise they are lost.</source>
        <translation>保存しないと、変更は失われます。</translation>
    </message>
    <message>
        <source>cat</source>
        <translation>猫</translation>
    </message>
    <message>
        <source>This is a new document; write a sentence and press Enter.</source>
        <translation>新しい文書です。文を書いて Enter を押してください。</translation>
    </message>
    <message>
        <source>Opening {path} …</source>
        <translation>「{path}」を開いています…</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>開く</translation>
    </message>
    <message>
        <source>Making “{title}” …</source>
        <translation>「{title}」を作っています…</translation>
    </message>
    <message>
        <source>Opened {path}: {n} tokens, read as {encoding}.</source>
        <translation>{path} を開きました：トークン{n}個、文字コード {encoding}。</translation>
    </message>
    <message>
        <source>Opened {path}: 1 token, read as {encoding}.</source>
        <translation>{path} を開きました：トークン1個、文字コード {encoding}。</translation>
    </message>
    <message>
        <source>Save as</source>
        <translation>名前を付けて保存</translation>
    </message>
    <message>
        <source>attention</source>
        <translation>注目度</translation>
    </message>
    <message>
        <source>Saved {path}.</source>
        <translation>「{path}」に保存しました。</translation>
    </message>
    <message>
        <source>Saving {path} …</source>
        <translation>{path} を保存しています…</translation>
    </message>
    <message>
        <source>attnviz sessions (*{suffix})</source>
        <translation>attnviz セッション (*{suffix})</translation>
    </message>
    <message>
        <source>attnviz documents and texts ({patterns})</source>
        <translation>attnvizのドキュメントとテキスト ({patterns})</translation>
    </message>
</context>
<context>
    <name>GoToBar</name>
    <message>
        <source>Go to</source>
        <translation>行き先</translation>
    </message>
    <message>
        <source>query, key or a token&apos;s text</source>
        <translation>クエリ, キー またはトークンの文字</translation>
    </message>
    <message>
        <source>Where to go: query, key or a token&apos;s text</source>
        <translation>行き先：クエリ, キー またはトークンの文字</translation>
    </message>
    <message>
        <source>query</source>
        <translation>クエリ</translation>
    </message>
    <message>
        <source>key</source>
        <translation>キー</translation>
    </message>
    <message>
        <source>Look for queries or for keys</source>
        <translation>クエリを探すか、キーを探すか</translation>
    </message>
    <message>
        <source>Whether a text, or one number, is of a query or of a key</source>
        <translation>文字や 1 つの数がクエリのものか、キーのものか</translation>
    </message>
    <message>
        <source>The one before (Shift+Enter)</source>
        <translation>前へ（Shift+Enter）</translation>
    </message>
    <message>
        <source>The next one (Enter)</source>
        <translation>次へ（Enter）</translation>
    </message>
    <message>
        <source>Put this line away (Esc)</source>
        <translation>この行をしまう（Esc）</translation>
    </message>
</context>
<context>
    <name>HeadBar</name>
    <message>
        <source>Heads</source>
        <translation>ヘッド</translation>
    </message>
    <message>
        <source>head</source>
        <translation>ヘッド</translation>
    </message>
    <message>
        <source>Add a head</source>
        <translation>ヘッドを追加</translation>
    </message>
    <message>
        <source>Copy this head</source>
        <translation>このヘッドを複製</translation>
    </message>
    <message>
        <source>Rename this head</source>
        <translation>このヘッドの名前を変更</translation>
    </message>
    <message>
        <source>Move this head left</source>
        <translation>このヘッドを左へ移動</translation>
    </message>
    <message>
        <source>Move this head right</source>
        <translation>このヘッドを右へ移動</translation>
    </message>
    <message>
        <source>Remove this head</source>
        <translation>このヘッドを削除</translation>
    </message>
    <message>
        <source>More for this head</source>
        <translation>このヘッドのその他の操作</translation>
    </message>
    <message>
        <source>{name} (copy)</source>
        <translation>{name}（コピー）</translation>
    </message>
    <message>
        <source>{name} (copy {number})</source>
        <translation>{name}（コピー {number}）</translation>
    </message>
    <message>
        <source>Name of the head</source>
        <translation>ヘッドの名前</translation>
    </message>
    <message>
        <source>head {name}</source>
        <translation>ヘッド {name}</translation>
    </message>
</context>
<context>
    <name>HeadGrid</name>
    <message>
        <source>first {percent}</source>
        <translation>先頭 {percent}</translation>
    </message>
    <message>
        <source>All heads: weights, entropy, weight on the first token</source>
        <translation>すべてのヘッド：重み、エントロピー、先頭への重み</translation>
    </message>
</context>
<context>
    <name>HeadOutputs</name>
    <message>
        <source>Output of every head</source>
        <translation>すべてのヘッドの出力</translation>
    </message>
</context>
<context>
    <name>HeadShares</name>
    <message>
        <source>Output of “{token}”: the sum of its heads</source>
        <translation>「{token}」の出力：ヘッドの和</translation>
    </message>
    <message>
        <source>What each head adds to the output of the selected token</source>
        <translation>選んだトークンの出力に各ヘッドが加える分</translation>
    </message>
    <message>
        <source>sum</source>
        <translation>合計</translation>
    </message>
    <message>
        <source>The outputs of all heads are being computed.</source>
        <translation>全ヘッドの出力を計算しています。</translation>
    </message>
</context>
<context>
    <name>HeadStrip</name>
    <message>
        <source>Norm of the output of all tokens: {norm}</source>
        <translation>全トークンの出力のノルム：{norm}</translation>
    </message>
    <message>
        <source>Mean entropy of the rows: {bits} bits, as if each token looked at {keys} keys alike</source>
        <translation>行のエントロピーの平均：{bits} ビット（各トークンが {keys} 個のキーを均等に見るのと同じ）</translation>
    </message>
    <message>
        <source>{bits} bits</source>
        <translation>{bits} ビット</translation>
    </message>
    <message>
        <source>All heads: weights, norm of the output, entropy</source>
        <translation>全ヘッド：重み、出力のノルム、エントロピー</translation>
    </message>
</context>
<context>
    <name>HeadsArea</name>
    <message>
        <source>Mean weight {mass}: {percent}</source>
        <translation>重みの平均（{mass}）：{percent}</translation>
    </message>
    <message>
        <source>As it was a moment before</source>
        <translation>1つ前の時点のもの</translation>
    </message>
</context>
<context>
    <name>HeadsPage</name>
    <message>
        <source>Beside the map</source>
        <translation>マップの横</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>なし</translation>
    </message>
    <message>
        <source>What is drawn beside the map</source>
        <translation>マップの横に描くもの</translation>
    </message>
    <message>
        <source>Draw a number of every row beside the map, at the height of the row</source>
        <translation>行ごとの数値をマップの横の同じ高さに描きます</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>窓の幅</translation>
    </message>
    <message>
        <source>Width of the window in tokens</source>
        <translation>窓の幅（トークン数）</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>書き出す…</translation>
    </message>
    <message>
        <source>Write the summaries of every row of every head to a file</source>
        <translation>すべてのヘッドの行ごとの要約をファイルに書き出します</translation>
    </message>
</context>
<context>
    <name>HideFuture</name>
    <message>
        <source>Hide the future</source>
        <translation>未来を隠す</translation>
    </message>
    <message>
        <source>A query sees the keys up to the one it stands at.</source>
        <translation>クエリには、立っている位置までのキーが見えます。</translation>
    </message>
    <message>
        <source>A query sees itself and what came before it.</source>
        <translation>クエリからは、自分とそれより前だけが見えます。</translation>
    </message>
</context>
<context>
    <name>HoverCard</name>
    <message>
        <source>masked (hidden)</source>
        <translation>マスク（見えない）</translation>
    </message>
    <message>
        <source>mask</source>
        <translation>マスク</translation>
    </message>
    <message>
        <source>These numbers cannot be read any more.</source>
        <translation>これらの数値はもう読み込めません。</translation>
    </message>
    <message>
        <source>The weight takes all keys, which are not read for this; click to compute it.</source>
        <translation>重みには全キーが必要で、ここでは読み込みません。クリックすると計算されます。</translation>
    </message>
    <message>
        <source>One of {rows} × {columns} cells that are shown as one here.</source>
        <translation>ここでは {rows} × {columns} セルを 1 つにまとめて示しています。これはその 1 つです。</translation>
    </message>
    <message>
        <source>The cell that is seen here, of {rows} × {columns} that are shown as one.</source>
        <translation>1 つにまとめた {rows} × {columns} セルのうち、ここに見えているセルです。</translation>
    </message>
    <message>
        <source>Hidden, yet it gets weight: the mask value is finite.</source>
        <translation>見えないのに重みがあるのは、マスク値が有限だからです。</translation>
    </message>
</context>
<context>
    <name>ImportDialog</name>
    <message>
        <source>Import arrays from “{name}”</source>
        <translation>「{name}」から配列を取り込む</translation>
    </message>
    <message>
        <source>Heads side by side in columns</source>
        <translation>列方向に並ぶヘッドの数</translation>
    </message>
    <message>
        <source>Take the tokens of the file</source>
        <translation>ファイルのトークンを使う</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>取り込む</translation>
    </message>
    <message>
        <source>Heads</source>
        <translation>ヘッド</translation>
    </message>
    <message>
        <source>change the heads there are</source>
        <translation>今あるヘッドを書き換える</translation>
    </message>
    <message>
        <source>replace all heads</source>
        <translation>すべてのヘッドを置き換える</translation>
    </message>
    <message>
        <source>add new heads</source>
        <translation>新しいヘッドとして追加する</translation>
    </message>
    <message>
        <source>Layer of the model</source>
        <translation>モデルの層</translation>
    </message>
    <message>
        <source>Array</source>
        <translation>配列</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>形</translation>
    </message>
    <message>
        <source>Becomes</source>
        <translation>取り込み先</translation>
    </message>
    <message>
        <source>Head</source>
        <translation>ヘッド</translation>
    </message>
    <message>
        <source>transposed</source>
        <translation>転置</translation>
    </message>
    <message>
        <source>side by side</source>
        <translation>列に並ぶ数</translation>
    </message>
    <message>
        <source>Computed from the others, and not imported: {names}.</source>
        <translation>ほかの配列から計算されるため、取り込みません：{names}。</translation>
    </message>
    <message>
        <source>{count} more arrays are not offered.</source>
        <translation>ほかに {count} 個の配列がありますが、ここには出していません。</translation>
    </message>
    <message>
        <source>Looking whether it fits…</source>
        <translation>合うかどうか確かめています…</translation>
    </message>
    <message>
        <source>“{name}”, {size}, is split into {roles} of {each} each.</source>
        <translation>「{name}」({size})は {each} の {roles} に分けられます。</translation>
    </message>
    <message>
        <source>1 head</source>
        <translation>ヘッド 1 個</translation>
    </message>
    <message>
        <source>{n} heads</source>
        <translation>{n}ヘッド</translation>
    </message>
    <message>
        <source>1 token ({names})</source>
        <translation>トークン 1 個（{names}）</translation>
    </message>
    <message>
        <source>{n} tokens ({names})</source>
        <translation>トークン {n} 個（{names}）</translation>
    </message>
    <message>
        <source>1 key ({names})</source>
        <translation>キー 1 個（{names}）</translation>
    </message>
    <message>
        <source>{n} keys ({names})</source>
        <translation>キー {n} 個（{names}）</translation>
    </message>
    <message>
        <source>The document will have {parts}; head 0: {shapes}.</source>
        <translation>取り込むと、文書は{parts}になります。ヘッド 0：{shapes}。</translation>
    </message>
</context>
<context>
    <name>ImportRow</name>
    <message>
        <source>{count} of {shape}</source>
        <translation>{shape} が {count} 個</translation>
    </message>
    <message>
        <source>Rows and columns are the other way round, as in torch</source>
        <translation>行と列が逆（torch の形式）</translation>
    </message>
    <message>
        <source>Rows and columns of {name} swapped</source>
        <translation>{name} の行と列を入れ替える</translation>
    </message>
    <message>
        <source>What {name} becomes</source>
        <translation>{name} の取り込み先</translation>
    </message>
    <message>
        <source>Of which head {name} is</source>
        <translation>{name} のヘッド</translation>
    </message>
    <message>
        <source>not imported</source>
        <translation>取り込まない</translation>
    </message>
    <message>
        <source>x of the keys</source>
        <translation>キーの x</translation>
    </message>
    <message>
        <source>mask</source>
        <translation>マスク</translation>
    </message>
    <message>
        <source>all {count} heads</source>
        <translation>{count} 個のヘッドすべて</translation>
    </message>
    <message>
        <source>the only head</source>
        <translation>唯一のヘッド</translation>
    </message>
    <message>
        <source>head {number}: {name}</source>
        <translation>ヘッド {number}：{name}</translation>
    </message>
    <message>
        <source>head {number}</source>
        <translation>ヘッド {number}</translation>
    </message>
    <message>
        <source>all heads, side by side</source>
        <translation>全ヘッド（列に並ぶ）</translation>
    </message>
</context>
<context>
    <name>Importing</name>
    <message>
        <source>Import arrays</source>
        <translation>配列を取り込む</translation>
    </message>
    <message>
        <source>arrays ({patterns})</source>
        <translation>配列 ({patterns})</translation>
    </message>
    <message>
        <source>Reading {path} …</source>
        <translation>{path} を読んでいます…</translation>
    </message>
    <message>
        <source>Looking whether it fits…</source>
        <translation>合うかどうか確かめています…</translation>
    </message>
    <message>
        <source>Imported {path}; undo takes it back.</source>
        <translation>「{path}」を取り込みました。「元に戻す」で取り消せます。</translation>
    </message>
    <message>
        <source>{path} holds what the document holds already; nothing has changed.</source>
        <translation>{path} の内容は今の文書と同じです。何も変わっていません。</translation>
    </message>
</context>
<context>
    <name>KeysDialog</name>
    <message>
        <source>Keys</source>
        <translation>キーボード操作</translation>
    </message>
    <message>
        <source>new document</source>
        <translation>新規作成</translation>
    </message>
    <message>
        <source>open</source>
        <translation>開く</translation>
    </message>
    <message>
        <source>save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>save as</source>
        <translation>名前を付けて保存</translation>
    </message>
    <message>
        <source>export as PNG</source>
        <translation>PNG に書き出す</translation>
    </message>
    <message>
        <source>import arrays</source>
        <translation>配列を取り込む</translation>
    </message>
    <message>
        <source>undo</source>
        <translation>元に戻す</translation>
    </message>
    <message>
        <source>redo</source>
        <translation>やり直し</translation>
    </message>
    <message>
        <source>copy what has the focus</source>
        <translation>操作中のものをコピー</translation>
    </message>
    <message>
        <source>edit the sentence; Enter splits it</source>
        <translation>文を編集（Enter で分割）</translation>
    </message>
    <message>
        <source>edit the sentence of the keys</source>
        <translation>キーの文を編集</translation>
    </message>
    <message>
        <source>hide the future or not</source>
        <translation>未来を隠す／隠さない</translation>
    </message>
    <message>
        <source>show the code of the stages</source>
        <translation>各段階のコードを見る</translation>
    </message>
    <message>
        <source>go to a query, a key or a token</source>
        <translation>クエリ、キー、トークンへ移動</translation>
    </message>
    <message>
        <source>find a token by its text</source>
        <translation>文字でトークンを探す</translation>
    </message>
    <message>
        <source>refine a coarse picture</source>
        <translation>粗い図を仕上げる</translation>
    </message>
    <message>
        <source>show a head</source>
        <translation>ヘッドを選ぶ</translation>
    </message>
    <message>
        <source>move the head</source>
        <translation>ヘッドを移動</translation>
    </message>
    <message>
        <source>this overview</source>
        <translation>この一覧</translation>
    </message>
    <message>
        <source>in the tokens: select another token</source>
        <translation>トークン：選ぶ</translation>
    </message>
    <message>
        <source>in the tokens: rename</source>
        <translation>トークン：書き換え</translation>
    </message>
    <message>
        <source>in the tokens: remove</source>
        <translation>トークン：削除</translation>
    </message>
    <message>
        <source>in the tokens: move</source>
        <translation>トークン：移動</translation>
    </message>
    <message>
        <source>in the panels: select another cell</source>
        <translation>パネル：セルを選ぶ</translation>
    </message>
    <message>
        <source>in the panels: a page of queries, with Shift of keys</source>
        <translation>パネルで：クエリを 1 画面送る（Shift でキー）</translation>
    </message>
    <message>
        <source>in the panels: the last key the query sees</source>
        <translation>パネルで：クエリから見える最後のキー</translation>
    </message>
    <message>
        <source>in the panels: the first cell, the last cell</source>
        <translation>パネルで：最初のセル、最後のセル</translation>
    </message>
    <message>
        <source>in the panels: zoom</source>
        <translation>パネル：拡大・縮小</translation>
    </message>
    <message>
        <source>in the panels: the whole matrix</source>
        <translation>パネル：行列全体を表示</translation>
    </message>
    <message>
        <source>in the panels: all four again</source>
        <translation>パネル：4枚の表示に戻す</translation>
    </message>
    <message>
        <source>double-click</source>
        <translation>ダブルクリック</translation>
    </message>
    <message>
        <source>in the panels: one panel alone</source>
        <translation>パネル：1枚だけを表示</translation>
    </message>
    <message>
        <source>in the code: another stage</source>
        <translation>コードの窓で：別の段階へ</translation>
    </message>
    <message>
        <source>in the vectors: paste from a spreadsheet</source>
        <translation>ベクトル：表計算ソフトから貼り付け</translation>
    </message>
    <message>
        <source>to the next control</source>
        <translation>次の項目へ</translation>
    </message>
    <message>
        <source>quit</source>
        <translation>終了</translation>
    </message>
</context>
<context>
    <name>LayerOutput</name>
    <message>
        <source>Output of the layer</source>
        <translation>層の出力</translation>
    </message>
    <message>
        <source>Add x: the residual sum, x + output</source>
        <translation>x を足す：残差の和 x + 出力</translation>
    </message>
    <message>
        <source>x + output</source>
        <translation>x + 出力</translation>
    </message>
    <message>
        <source>output</source>
        <translation>出力</translation>
    </message>
    <message>
        <source>There is no x to add. In the tab “Vectors q k v” choose x · W to derive a head from x.</source>
        <translation>足す x がありません。「ベクトル q k v」のタブで x · W を選ぶと、ヘッドを x から導けます。</translation>
    </message>
    <message>
        <source>x has {x} dimensions and the output {output}; only the same number can be added.</source>
        <translation>x は {x} 次元、出力は {output} 次元です。次元の数が同じときだけ足せます。</translation>
    </message>
</context>
<context>
    <name>LessonPanel</name>
    <message>
        <source>Back</source>
        <translation>戻る</translation>
    </message>
    <message>
        <source>To the step before; the document stays as it is</source>
        <translation>前のステップへ（文書は変わりません）</translation>
    </message>
    <message>
        <source>Do it for me</source>
        <translation>代わりに操作する</translation>
    </message>
    <message>
        <source>Bring the document to where this step leads</source>
        <translation>このステップの結果まで文書を進めます</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>次へ</translation>
    </message>
    <message>
        <source>Put everything back</source>
        <translation>すべて元に戻す</translation>
    </message>
    <message>
        <source>Show the document again that was there before the lesson</source>
        <translation>レッスンの前の文書をもう一度表示します</translation>
    </message>
    <message>
        <source>Keep what I changed</source>
        <translation>変更を残す</translation>
    </message>
    <message>
        <source>Go on with the document of the lesson</source>
        <translation>レッスンの文書で続けます</translation>
    </message>
    <message>
        <source>The document stays as it is</source>
        <translation>文書は変わりません</translation>
    </message>
    <message>
        <source>End the lesson</source>
        <translation>レッスンを終える</translation>
    </message>
    <message>
        <source>end</source>
        <translation>終わり</translation>
    </message>
    <message>
        <source>step {number} of {count}</source>
        <translation>ステップ {number} / {count}</translation>
    </message>
    <message>
        <source>Put everything back, and your document is as it was before the lesson. Or keep what you changed, and go on with the document of the lesson.</source>
        <translation>「すべて元に戻す」で、文書はレッスンの前のとおりになります。「変更を残す」では、レッスンの文書をそのまま使い続けます。</translation>
    </message>
    <message>
        <source>Finish</source>
        <translation>終える</translation>
    </message>
    <message>
        <source>Lesson: {title}</source>
        <translation>レッスン：{title}</translation>
    </message>
    <message>
        <source>What to do: {text}</source>
        <translation>すること：{text}</translation>
    </message>
    <message>
        <source>Seen: {text}</source>
        <translation>見ました：{text}</translation>
    </message>
    <message>
        <source>What to see: {text}</source>
        <translation>見るところ：{text}</translation>
    </message>
</context>
<context>
    <name>Lessons</name>
    <message>
        <source>Open a lesson</source>
        <translation>レッスンを開く</translation>
    </message>
    <message>
        <source>attnviz lessons (*{suffix})</source>
        <translation>attnviz のレッスン (*{suffix})</translation>
    </message>
    <message>
        <source>The lesson has ended; everything is as it was before.</source>
        <translation>レッスンを終えました。すべて元のとおりです。</translation>
    </message>
    <message>
        <source>This document is yours now; it lies in {path}.</source>
        <translation>この文書はあなたのものになりました。{path} に保存されています。</translation>
    </message>
    <message>
        <source>This document is yours now; save it to have it in a file.</source>
        <translation>この文書はあなたのものになりました。残すには保存してください。</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Cancelled.</source>
        <translation>計算を中止しました。</translation>
    </message>
    <message>
        <source>What was missing is there again.</source>
        <translation>なくなっていたものが元に戻りました。</translation>
    </message>
</context>
<context>
    <name>MapLines</name>
    <message>
        <source>shape</source>
        <translation>形</translation>
    </message>
    <message>
        <source>How the selected number of x · W comes about</source>
        <translation>選んだ x · W の値の求め方</translation>
    </message>
    <message>
        <source>({count} more)</source>
        <translation>（ほか {count} 項）</translation>
    </message>
</context>
<context>
    <name>MarginalPlot</name>
    <message>
        <source>The summaries come once every row is computed.</source>
        <translation>すべての行の計算が終わると要約が表示されます。</translation>
    </message>
    <message>
        <source>The summaries are being computed.</source>
        <translation>要約を計算しています。</translation>
    </message>
    <message>
        <source>hide</source>
        <translation>表示しない</translation>
    </message>
    <message>
        <source>What is drawn beside the map</source>
        <translation>マップの横に描くもの</translation>
    </message>
    <message>
        <source>Width of the window in tokens</source>
        <translation>窓の幅（トークン数）</translation>
    </message>
    <message>
        <source>Summaries of the rows</source>
        <translation>行ごとの要約</translation>
    </message>
    <message>
        <source>Dotted: all keys that the row may attend to, at equal weight</source>
        <translation>点線：見えるキーすべてに同じ重みを置いた場合</translation>
    </message>
    <message>
        <source>{measure}: “{token}” {value}; mean of all rows {mean}</source>
        <translation>{measure}：「{token}」{value}、全行の平均 {mean}</translation>
    </message>
    <message>
        <source>mean of all rows</source>
        <translation>全行の平均</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>平均</translation>
    </message>
</context>
<context>
    <name>MaskNumbers</name>
    <message>
        <source>Sink tokens: the first ones, which every later token sees</source>
        <translation>シンクのトークン数：先頭の、あとのトークンすべてから見えるトークン</translation>
    </message>
    <message>
        <source>Width of the window: how many tokens up to itself a query sees</source>
        <translation>窓の幅：クエリが自分までに見るトークンの数</translation>
    </message>
    <message>
        <source>Length of the prefix: the first tokens, which all see</source>
        <translation>接頭部の長さ：すべてのトークンから見える先頭のトークン</translation>
    </message>
    <message>
        <source>Choose the tokens that nobody may attend to</source>
        <translation>だれからも見えないトークンを選ぶ</translation>
    </message>
    <message>
        <source>Paint</source>
        <translation>塗る</translation>
    </message>
    <message>
        <source>Paint cells on the mask panel</source>
        <translation>マスクのパネルでセルを塗る</translation>
    </message>
    <message>
        <source>Drag over the mask panel to hide cells or show them; Space changes the selected one.</source>
        <translation>マスクのパネルをドラッグすると、セルを隠したり見せたりできます。スペースキーで選択中のセルが切り替わります。</translation>
    </message>
    <message>
        <source>Hidden tokens</source>
        <translation>見えないトークン</translation>
    </message>
    <message>
        <source>Sinks: the first keys, which every query that stands after them sees</source>
        <translation>シンクの数：先頭の、それよりあとに立つクエリすべてから見えるキー</translation>
    </message>
    <message>
        <source>Width of the window: how many keys up to the one it stands at a query sees</source>
        <translation>窓の幅：クエリが立つ位置までに見るキーの数</translation>
    </message>
    <message>
        <source>Length of the prefix: the first keys, which all queries see</source>
        <translation>接頭部の長さ：すべてのクエリから見える先頭のキー</translation>
    </message>
    <message>
        <source>Choose the keys that no query may attend to</source>
        <translation>どのクエリからも見えないキーを選ぶ</translation>
    </message>
    <message>
        <source>tokens: {count}</source>
        <translation>{count} 個</translation>
    </message>
</context>
<context>
    <name>MaskPanel</name>
    <message>
        <source>number</source>
        <translation>数値</translation>
    </message>
    <message>
        <source>Kind of mask</source>
        <translation>マスクの種類</translation>
    </message>
    <message>
        <source>Mask value</source>
        <translation>マスク値</translation>
    </message>
    <message>
        <source>What the scores of hidden cells become before softmax</source>
        <translation>見えないセルのスコアを、softmax の前にこの値にします。</translation>
    </message>
    <message>
        <source>future hidden</source>
        <translation>未来を隠す</translation>
    </message>
    <message>
        <source>nothing hidden</source>
        <translation>隠さない</translation>
    </message>
    <message>
        <source>padding</source>
        <translation>パディング</translation>
    </message>
    <message>
        <source>window</source>
        <translation>窓</translation>
    </message>
    <message>
        <source>sinks + window</source>
        <translation>シンク＋窓</translation>
    </message>
    <message>
        <source>prefix</source>
        <translation>接頭部</translation>
    </message>
    <message>
        <source>own mask</source>
        <translation>独自</translation>
    </message>
    <message>
        <source>future</source>
        <comment>in short for: future hidden</comment>
        <translation>未来</translation>
    </message>
    <message>
        <source>nothing</source>
        <comment>in short for: nothing hidden</comment>
        <translation>なし</translation>
    </message>
    <message>
        <source>sinks</source>
        <comment>in short for: sinks + window</comment>
        <translation>シンク</translation>
    </message>
    <message>
        <source>own</source>
        <comment>in short for: own mask</comment>
        <translation>独自</translation>
    </message>
    <message>
        <source>Which query stands at which key</source>
        <translation>どのクエリがどのキーの位置に立つか</translation>
    </message>
    <message>
        <source>Which cells are hidden</source>
        <translation>どのセルを隠すか</translation>
    </message>
</context>
<context>
    <name>Menus</name>
    <message>
        <source>&amp;File</source>
        <translation>ファイル(&amp;F)</translation>
    </message>
    <message>
        <source>Open &amp;recent</source>
        <translation>最近使ったファイル(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>編集(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>表示(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Language</source>
        <translation>言語(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>テーマ(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Engine</source>
        <translation>計算エンジン(&amp;E)</translation>
    </message>
    <message>
        <source>Colours of the &amp;weights</source>
        <translation>重みの色の範囲(&amp;W)</translation>
    </message>
    <message>
        <source>The &amp;mask panel shows</source>
        <translation>マスクのパネルの内容(&amp;M)</translation>
    </message>
    <message>
        <source>&amp;Bars of the weights</source>
        <translation>重みのバーの並び(&amp;B)</translation>
    </message>
    <message>
        <source>A p&amp;ixel of a long document shows</source>
        <translation>長い文の 1 ピクセルが示すもの(&amp;I)</translation>
    </message>
    <message>
        <source>Beside the ma&amp;p</source>
        <translation>マップの横(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Presets</source>
        <translation>プリセット(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Lessons</source>
        <translation>レッスン(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>ヘルプ(&amp;H)</translation>
    </message>
    <message>
        <source>No file has been opened yet</source>
        <translation>まだファイルを開いていません</translation>
    </message>
</context>
<context>
    <name>NoteView</name>
    <message>
        <source>Note</source>
        <translation>解説</translation>
    </message>
    <message>
        <source>Put the note away</source>
        <translation>解説を閉じる</translation>
    </message>
</context>
<context>
    <name>OutputMap</name>
    <message>
        <source>W_O, from the heads&apos; outputs to the layer&apos;s</source>
        <translation>W_O（ヘッドの出力から層の出力へ）</translation>
    </message>
    <message>
        <source>b_O, added to every row of concat · W_O</source>
        <translation>concat · W_O の各行に足す b_O</translation>
    </message>
    <message>
        <source>Identity</source>
        <translation>単位行列</translation>
    </message>
    <message>
        <source>Make W_O the identity again: the output is concat</source>
        <translation>W_O を単位行列に戻す（出力は concat そのもの）</translation>
    </message>
    <message>
        <source>Dimensions of the output: columns of W_O. New ones are zeros; the identity becomes numbers.</source>
        <translation>出力の次元数（W_O の列数）。増やした列は 0 で、単位行列は数値の行列になります。</translation>
    </message>
    <message>
        <source>W_O = identity</source>
        <translation>W_O = 単位行列</translation>
    </message>
    <message>
        <source>The output is concat itself. Type a number to make W_O a matrix of your own.</source>
        <translation>出力は concat そのものです。数値を入力すると、W_O を自分の行列にできます。</translation>
    </message>
    <message>
        <source>Each head has the rows between two lines. Columns that are added are zeros.</source>
        <translation>線と線の間の行が 1 つのヘッドの分です。増やした列は 0 になります。</translation>
    </message>
</context>
<context>
    <name>OutputView</name>
    <message>
        <source>Output: Σ weight × v</source>
        <translation>出力：Σ 重み × v</translation>
    </message>
    <message>
        <source>Output of the selected query</source>
        <translation>選んだクエリの出力</translation>
    </message>
    <message>
        <source>Show the code of the output</source>
        <translation>出力のコードを見る</translation>
    </message>
</context>
<context>
    <name>Overview</name>
    <message>
        <source>Queries {first} to {last}, keys {left} to {right}</source>
        <translation>クエリ {first}〜{last}、キー {left}〜{right}</translation>
    </message>
    <message>
        <source>Overview of the whole matrix</source>
        <translation>行列全体の見取り図</translation>
    </message>
    <message>
        <source>Where in the matrix the panels are; click or drag to go elsewhere</source>
        <translation>パネルが行列のどこを示しているか。クリックかドラッグで移動します</translation>
    </message>
</context>
<context>
    <name>PanelDeeds</name>
    <message>
        <source>Copying …</source>
        <translation>コピーしています…</translation>
    </message>
    <message>
        <source>Copied the numbers as a table.</source>
        <translation>数値を表としてコピーしました。</translation>
    </message>
    <message>
        <source>Copied the weights of {n} keys.</source>
        <translation>{n} 個のキーの重みをコピーしました。</translation>
    </message>
    <message>
        <source>Copied the panel as a picture and as a table.</source>
        <translation>パネルを図と表としてコピーしました。</translation>
    </message>
    <message>
        <source>Copied the panel as a picture and as a table, one number for {rows} × {columns} cells; zoom in for single cells.</source>
        <translation>パネルを図と表としてコピーしました。1 つの数が {rows} × {columns} セルを表します。拡大すると 1 セルずつになります。</translation>
    </message>
    <message>
        <source>Copy this panel</source>
        <translation>このパネルをコピー</translation>
    </message>
    <message>
        <source>Export this panel as PNG…</source>
        <translation>このパネルを PNG に書き出す…</translation>
    </message>
    <message>
        <source>Show the code of this panel</source>
        <translation>このパネルのコードを見る</translation>
    </message>
</context>
<context>
    <name>PictureDialog</name>
    <message>
        <source>Export a picture</source>
        <translation>図の書き出し</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>ライト</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>ダーク</translation>
    </message>
    <message>
        <source>With the document inside</source>
        <translation>文書を画像に埋め込む</translation>
    </message>
    <message>
        <source>Whoever has the picture can open the document, with all its tokens and numbers.</source>
        <translation>画像を受け取った人は、すべてのトークンと数値を含む文書を開けます。</translation>
    </message>
    <message>
        <source>Preview</source>
        <translation>プレビュー</translation>
    </message>
    <message>
        <source>The four stages</source>
        <translation>4段階すべて</translation>
    </message>
    <message>
        <source>mask</source>
        <translation>マスク</translation>
    </message>
    <message>
        <source>The window</source>
        <translation>ウィンドウ</translation>
    </message>
    <message>
        <source>Picture of</source>
        <translation>図にするもの</translation>
    </message>
    <message>
        <source>Size of text and lines</source>
        <translation>文字と線の倍率</translation>
    </message>
    <message>
        <source>Size of the file</source>
        <translation>画像の大きさ</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>テーマ</translation>
    </message>
    <message>
        <source>Width of the file in pixels</source>
        <translation>画像の幅（ピクセル）</translation>
    </message>
    <message>
        <source>Height of the file in pixels</source>
        <translation>画像の高さ（ピクセル）</translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation>名前を付けて保存…</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>コピー</translation>
    </message>
    <message>
        <source>Computed for these pixels: each shows {rows} × {columns} cells.</source>
        <translation>このピクセル数に合わせて計算します。1 ピクセルは {rows} × {columns} セルを表します。</translation>
    </message>
    <message>
        <source>Computed for these pixels: every cell is shown.</source>
        <translation>このピクセル数に合わせて計算します。すべてのセルが表示されます。</translation>
    </message>
</context>
<context>
    <name>PlainTable</name>
    <message>
        <source>Copied the first {n} of {count} rows; select others to copy them, or export the numbers.</source>
        <translation>{count} 行のうち最初の {n} 行をコピーしました。ほかの行は選んでコピーするか、数値を書き出してください。</translation>
    </message>
</context>
<context>
    <name>QAbstractFileIconProvider</name>
    <message>
        <source>Drive</source>
        <translation>ドライブ</translation>
    </message>
    <message>
        <source>File</source>
        <translation>ファイル</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>フォルダ</translation>
    </message>
    <message>
        <source>Shortcut</source>
        <translation>ショートカット</translation>
    </message>
    <message>
        <source>Unknown</source>
        <translation>不明</translation>
    </message>
</context>
<context>
    <name>QFileDialog</name>
    <message>
        <source>&amp;Look in:</source>
        <translation>場所(&amp;L):</translation>
    </message>
    <message>
        <source>Files of &amp;type:</source>
        <translation>ファイルの種類(&amp;T):</translation>
    </message>
</context>
<context>
    <name>QuerySliders</name>
    <message>
        <source>Query sliders</source>
        <translation>クエリのスライダー</translation>
    </message>
    <message>
        <source>head {name}</source>
        <translation>ヘッド {name}</translation>
    </message>
    <message>
        <source>q of “{token}”</source>
        <translation>「{token}」の q</translation>
    </message>
    <message>
        <source>q, head {head}, dimension {dimension}</source>
        <translation>q、ヘッド {head}、次元 {dimension}</translation>
    </message>
    <message>
        <source>q, head {head}: left and right choose a dimension, up and down change it</source>
        <translation>q、ヘッド {head}：左右のキーで次元を選び、上下のキーで値を変えます</translation>
    </message>
</context>
<context>
    <name>RecoveryBar</name>
    <message>
        <source>Keep</source>
        <translation>このまま続ける</translation>
    </message>
    <message>
        <source>Go on with the recovered document</source>
        <translation>復元した文書で作業を続ける</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>破棄</translation>
    </message>
    <message>
        <source>Go back to the document before; redo brings it back</source>
        <translation>元の文書に戻す（やり直しで復元できます）</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>開く</translation>
    </message>
    <message>
        <source>Show this document in place of the present one</source>
        <translation>いまの文書の代わりにこの文書を開く</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>後で</translation>
    </message>
    <message>
        <source>Offer it again at the next start</source>
        <translation>次に起動したときにもう一度知らせる</translation>
    </message>
    <message>
        <source>There is one more unsaved document: “{name}”, {when}.</source>
        <translation>保存していない文書がもう1つあります：「{name}」、{when}。</translation>
    </message>
    <message>
        <source>There are {count} more unsaved documents; the latest is “{name}”, {when}.</source>
        <translation>保存していない文書があと{count}個あります。最新は「{name}」、{when}です。</translation>
    </message>
    <message>
        <source>Recovered what was not saved of “{name}”, {when}. Its file has changed since; saving asks where to.</source>
        <translation>「{name}」の保存していない変更を復元しました（{when}）。元のファイルはその後に変わっているため、保存するときに場所を尋ねます。</translation>
    </message>
    <message>
        <source>Recovered what was not saved of “{name}”, {when}.</source>
        <translation>「{name}」の保存していない変更を復元しました（{when}）。</translation>
    </message>
</context>
<context>
    <name>ScaleStrength</name>
    <message>
        <source>Scale strength</source>
        <translation>スケールの強さ</translation>
    </message>
    <message>
        <source>Scores are divided by √d_k and by this number, 0.01 to 100. A double-click sets it to 1.</source>
        <translation>スコアを √d_k とこの値（0.01 〜 100）で割ります。ダブルクリックで 1 に戻ります。</translation>
    </message>
</context>
<context>
    <name>SentenceDialog</name>
    <message>
        <source>Write or paste a text of any length.</source>
        <translation>文を書くか、貼り付けてください。長さに制限はありません。</translation>
    </message>
    <message>
        <source>Progress of the splitting</source>
        <translation>分割の進み具合</translation>
    </message>
    <message>
        <source>Split into tokens</source>
        <translation>トークンに分ける</translation>
    </message>
    <message>
        <source>Splitting: {n}%</source>
        <translation>分割中：{n}%</translation>
    </message>
    <message>
        <source>{n} characters</source>
        <translation>{n} 文字</translation>
    </message>
</context>
<context>
    <name>SentenceField</name>
    <message>
        <source>Write a sentence and press Enter.</source>
        <translation>文を書いて Enter を押してください。</translation>
    </message>
    <message>
        <source>{n} tokens</source>
        <translation>{n} トークン</translation>
    </message>
    <message>
        <source>{count}; press Enter or double-click to edit the text</source>
        <translation>{count}。Enter かダブルクリックで文を編集します</translation>
    </message>
</context>
<context>
    <name>ShapeView</name>
    <message>
        <source>mask</source>
        <translation>マスク</translation>
    </message>
    <message>
        <source>{count} heads</source>
        <translation>{count} ヘッド</translation>
    </message>
    <message>
        <source>1 head</source>
        <translation>1 ヘッド</translation>
    </message>
    <message>
        <source>the identity</source>
        <translation>単位行列</translation>
    </message>
    <message>
        <source>sum</source>
        <translation>合計</translation>
    </message>
    <message>
        <source>parameters</source>
        <translation>パラメータ</translation>
    </message>
    <message>
        <source>this head</source>
        <translation>このヘッド</translation>
    </message>
    <message>
        <source>all heads</source>
        <translation>全ヘッド</translation>
    </message>
    <message>
        <source>array</source>
        <translation>配列</translation>
    </message>
    <message>
        <source>rows × columns</source>
        <translation>行 × 列</translation>
    </message>
    <message>
        <source>computed from</source>
        <translation>求め方</translation>
    </message>
    <message>
        <source>numbers</source>
        <translation>要素数</translation>
    </message>
    <message>
        <source>multiply-adds</source>
        <translation>積和の数</translation>
    </message>
    <message>
        <source>bytes (float32)</source>
        <translation>float32 バイト数</translation>
    </message>
    <message>
        <source>Shapes</source>
        <translation>形</translation>
    </message>
    <message>
        <source>The chain of shapes from x to the output</source>
        <translation>x から出力までの形の連なり</translation>
    </message>
    <message>
        <source>Numbers, multiply-adds and bytes of every array</source>
        <translation>各配列の要素数、積和の数、バイト数</translation>
    </message>
    <message>
        <source>scores</source>
        <translation>スコア</translation>
    </message>
    <message>
        <source>scaled</source>
        <translation>スケール後</translation>
    </message>
    <message>
        <source>masked</source>
        <translation>マスク後</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>重み</translation>
    </message>
    <message>
        <source>head output</source>
        <translation>ヘッドの出力</translation>
    </message>
    <message>
        <source>concat</source>
        <translation>連結</translation>
    </message>
    <message>
        <source>output</source>
        <translation>出力</translation>
    </message>
    <message>
        <source>scores {scaling}</source>
        <translation>スコア {scaling}</translation>
    </message>
    <message>
        <source>scaled, with the mask</source>
        <translation>マスクを掛けた値</translation>
    </message>
    <message>
        <source>softmax of every row</source>
        <translation>行ごとの softmax</translation>
    </message>
    <message>
        <source>weights · v</source>
        <translation>重み · v</translation>
    </message>
    <message>
        <source>outputs side by side</source>
        <translation>出力を横に並べる</translation>
    </message>
    <message>
        <source>{concat}, as W_O is the identity</source>
        <translation>{concat}（W_O が単位行列なので）</translation>
    </message>
    <message>
        <source>{count} numbers</source>
        <translation>要素 {count} 個</translation>
    </message>
    <message>
        <source>{count} multiply-adds</source>
        <translation>積和 {count} 回</translation>
    </message>
    <message>
        <source>{count} bytes</source>
        <translation>{count} バイト</translation>
    </message>
    <message>
        <source>{count} scores per head</source>
        <translation>1 ヘッドのスコア {count} 個</translation>
    </message>
    <message>
        <source>{count} in all {n_heads} heads</source>
        <translation>全 {n_heads} ヘッドで {count} 個</translation>
    </message>
    <message>
        <source>{count} parameters</source>
        <translation>パラメータ {count} 個</translation>
    </message>
</context>
<context>
    <name>SourceNotice</name>
    <message>
        <source>The last key was cut, for there are only {tokens} tokens; undo brings it back.</source>
        <translation>トークンが {tokens} 個しかないため、最後のキーを切り落としました。元に戻すと戻ります。</translation>
    </message>
    <message>
        <source>The last {lost} keys were cut, for there are only {tokens} tokens; undo brings them back.</source>
        <translation>トークンが {tokens} 個しかないため、最後の {lost} 個のキーを切り落としました。元に戻すと戻ります。</translation>
    </message>
    <message>
        <source>Head “{name}” is one of vectors now: q, k and v no longer follow x · W; undo brings that back.</source>
        <translation>ヘッド「{name}」はベクトルになり、q、k、v は x · W から離れました。元に戻すと x · W に戻ります。</translation>
    </message>
    <message>
        <source>q, k and v of head “{name}” come from x · W now; no number has changed.</source>
        <translation>ヘッド「{name}」の q、k、v は x · W から作られます。値は変わっていません。</translation>
    </message>
    <message>
        <source>q, k and v of head “{name}” come from x · W now, as near to what they were as x allows: numbers moved by up to {change}.</source>
        <translation>ヘッド「{name}」の q、k、v は x · W から作られます。x から作れる最も近い値になり、最大 {change} 動きました。</translation>
    </message>
</context>
<context>
    <name>SpreadPlot</name>
    <message>
        <source>d_k = {d_k}, √d_k = {root}; scores of head “{head}” spread by {spread}</source>
        <translation>d_k = {d_k}、√d_k = {root}、ヘッド「{head}」のスコアのばらつき {spread}</translation>
    </message>
    <message>
        <source>Why scores are divided by √d_k</source>
        <translation>なぜスコアを √d_k で割るか</translation>
    </message>
    <message>
        <source>as they are</source>
        <translation>割らない</translation>
    </message>
    <message>
        <source>largest {percent}</source>
        <translation>最大 {percent}</translation>
    </message>
    <message>
        <source>softmax of ten scores, d_k = {d_k}</source>
        <translation>スコア 10 個の softmax、d_k = {d_k}</translation>
    </message>
    <message>
        <source>The largest of ten weights is {undivided} with scores as they are, {divided} ÷ √d_k.</source>
        <translation>10 個の重みのうち最大のものは、割らないと {undivided}、÷ √d_k では {divided} です。</translation>
    </message>
    <message>
        <source>Why ÷ √d_k: spread of random q · k</source>
        <translation>なぜ ÷ √d_k か：乱数の q · k のばらつき</translation>
    </message>
    <message>
        <source>Spread of q · k of random vectors by d_k: {measured}</source>
        <translation>乱数のベクトルの q · k のばらつき（d_k ごと）：{measured}</translation>
    </message>
</context>
<context>
    <name>StageBoard</name>
    <message>
        <source>hidden: {fill}</source>
        <translation>見えない：{fill}</translation>
    </message>
    <message>
        <source>mask</source>
        <translation>マスク</translation>
    </message>
    <message>
        <source>% of each row</source>
        <translation>行ごとの %</translation>
    </message>
    <message>
        <source>÷(√dₖ × strength)</source>
        <translation>÷(√dₖ × 強さ)</translation>
    </message>
    <message>
        <source>furthest from 0 of {rows} × {columns} cells</source>
        <translation>{rows} × {columns} セルのうち 0 から最も遠い値</translation>
    </message>
    <message>
        <source>mean of {rows} × {columns} cells</source>
        <translation>{rows} × {columns} セルの平均</translation>
    </message>
    <message>
        <source>largest of {rows} × {columns} cells</source>
        <translation>{rows} × {columns} セルの最大値</translation>
    </message>
    <message>
        <source>coarse</source>
        <translation>粗い図</translation>
    </message>
    <message>
        <source>query ↓</source>
        <translation>クエリ ↓</translation>
    </message>
    <message>
        <source>key →</source>
        <translation>キー →</translation>
    </message>
    <message>
        <source>hidden, yet with weight</source>
        <translation>見えないのに重みあり</translation>
    </message>
</context>
<context>
    <name>StageGrid</name>
    <message>
        <source>The four stages of attention</source>
        <translation>アテンションの4段階</translation>
    </message>
    <message>
        <source>Scores, the products of queries and keys</source>
        <translation>スコア（クエリとキーの内積）</translation>
    </message>
    <message>
        <source>Scaled scores</source>
        <translation>スケール後のスコア</translation>
    </message>
    <message>
        <source>Masked scores</source>
        <translation>マスク後のスコア</translation>
    </message>
    <message>
        <source>Weights after softmax</source>
        <translation>softmax 後の重み</translation>
    </message>
    <message>
        <source>Show the code of the scores</source>
        <translation>スコアのコードを見る</translation>
    </message>
    <message>
        <source>Show the code of the scaling</source>
        <translation>スケーリングのコードを見る</translation>
    </message>
    <message>
        <source>Show the code of the mask</source>
        <translation>マスクのコードを見る</translation>
    </message>
    <message>
        <source>Show the code of softmax</source>
        <translation>softmax のコードを見る</translation>
    </message>
</context>
<context>
    <name>StatusLine</name>
    <message>
        <source>Cancel</source>
        <translation>中止</translation>
    </message>
    <message>
        <source>Progress of the computation</source>
        <translation>計算の進み具合</translation>
    </message>
    <message>
        <source>refining {percent} %</source>
        <translation>精細化 {percent} %</translation>
    </message>
    <message>
        <source>Progress: {work}</source>
        <translation>進み具合：{work}</translation>
    </message>
    <message>
        <source>Progress of the work with files</source>
        <translation>ファイルの処理の進み具合</translation>
    </message>
    <message>
        <source>Progress of refining the picture</source>
        <translation>図を精密にする計算の進み具合</translation>
    </message>
    <message>
        <source>{engine} ({why})</source>
        <translation>{engine}（{why}）</translation>
    </message>
    <message>
        <source>{tokens} × {heads}, d_k {d_k}</source>
        <translation>{tokens} × {heads} · d_k {d_k}</translation>
    </message>
    <message>
        <source>{queries} × {keys} tokens</source>
        <translation>{queries} × {keys} トークン</translation>
    </message>
    <message>
        <source>1 token</source>
        <translation>1トークン</translation>
    </message>
    <message>
        <source>{n} tokens</source>
        <translation>{n}トークン</translation>
    </message>
    <message>
        <source>1 head</source>
        <translation>1ヘッド</translation>
    </message>
    <message>
        <source>{n} heads</source>
        <translation>{n}ヘッド</translation>
    </message>
    <message>
        <source>compute {compute} ms · to screen {screen} ms · {size}</source>
        <translation>計算 {compute} ms · 画面まで {screen} ms · {size}</translation>
    </message>
    <message>
        <source>compute {compute} ms · {size}</source>
        <translation>計算 {compute} ms · {size}</translation>
    </message>
</context>
<context>
    <name>Summaries</name>
    <message>
        <source>same place</source>
        <translation>同じ位置</translation>
    </message>
    <message>
        <source>place before</source>
        <translation>直前の位置</translation>
    </message>
    <message>
        <source>entropy</source>
        <translation>エントロピー</translation>
    </message>
    <message>
        <source>effective keys</source>
        <translation>実効キー数</translation>
    </message>
    <message>
        <source>on first</source>
        <translation>先頭</translation>
    </message>
    <message>
        <source>on itself</source>
        <translation>自分自身</translation>
    </message>
    <message>
        <source>on previous</source>
        <translation>直前</translation>
    </message>
    <message>
        <source>window</source>
        <translation>窓</translation>
    </message>
    <message>
        <source>−Σ w · log₂ w of a row, in bits: 0 where all weight is on one key</source>
        <translation>行ごとの −Σ w · log₂ w（ビット）。重みがすべて1つのキーにあれば 0</translation>
    </message>
    <message>
        <source>2 to the power of the entropy: so many keys of equal weight would be as spread</source>
        <translation>2のエントロピー乗。同じ重みのキーがこの個数あるのと同じ広がり</translation>
    </message>
    <message>
        <source>The weight on the first key, where a sink is</source>
        <translation>先頭のキーへの重み（アテンションシンク）</translation>
    </message>
    <message>
        <source>The weight on the keys nearer than {width} tokens to the query, itself included</source>
        <translation>クエリからの距離が {width} トークン未満のキーへの重み（自分自身を含む）</translation>
    </message>
    <message>
        <source>The weight on the key at the query&apos;s own place, as the mask aligns them</source>
        <translation>クエリと同じ位置のキーへの重み（位置の対応はマスクの設定による）</translation>
    </message>
    <message>
        <source>The weight on the key before the query&apos;s own place, as the mask aligns them</source>
        <translation>クエリの1つ前の位置のキーへの重み（位置の対応はマスクの設定による）</translation>
    </message>
    <message>
        <source>The weight of a token on itself</source>
        <translation>トークン自身への重み</translation>
    </message>
    <message>
        <source>The weight of a token on the one before it</source>
        <translation>1つ前のトークンへの重み</translation>
    </message>
    <message>
        <source>{number} bits</source>
        <translation>{number} ビット</translation>
    </message>
    <message>
        <source>{number} keys</source>
        <translation>{number} 個</translation>
    </message>
</context>
<context>
    <name>SummaryModel</name>
    <message>
        <source>bits</source>
        <translation>ビット</translation>
    </message>
</context>
<context>
    <name>SummaryTable</name>
    <message>
        <source>Means of every head over its rows</source>
        <translation>ヘッドごとの全行の平均</translation>
    </message>
</context>
<context>
    <name>TableDialog</name>
    <message>
        <source>Export numbers</source>
        <translation>数値の書き出し</translation>
    </message>
    <message>
        <source>mask</source>
        <translation>マスク</translation>
    </message>
    <message>
        <source>head output</source>
        <translation>ヘッドの出力</translation>
    </message>
    <message>
        <source>output of all heads</source>
        <translation>全ヘッドの出力</translation>
    </message>
    <message>
        <source>M, who may attend</source>
        <translation>M（見てよいか）</translation>
    </message>
    <message>
        <source>summaries of each row</source>
        <translation>行ごとの要約</translation>
    </message>
    <message>
        <source>all of them</source>
        <translation>すべて</translation>
    </message>
    <message>
        <source>all heads</source>
        <translation>すべてのヘッド</translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation>名前を付けて保存…</translation>
    </message>
    <message>
        <source>Stage</source>
        <translation>段階</translation>
    </message>
    <message>
        <source>Head</source>
        <translation>ヘッド</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>形式</translation>
    </message>
</context>
<context>
    <name>TermLines</name>
    <message>
        <source>How the selected weight comes about</source>
        <translation>選んだ重みの計算</translation>
    </message>
    <message>
        <source>({count} more)</source>
        <translation>（ほか {count} 項）</translation>
    </message>
    <message>
        <source>scale</source>
        <translation>スケール</translation>
    </message>
    <message>
        <source>masked (hidden): {fill}</source>
        <translation>マスク（見えない）：{fill}</translation>
    </message>
    <message>
        <source>mask</source>
        <translation>マスク</translation>
    </message>
    <message>
        <source>weight × v =</source>
        <translation>重み × v =</translation>
    </message>
    <message>
        <source>no key may be attended, so the weight is 0</source>
        <translation>見えるキーがないので、重みは 0</translation>
    </message>
    <message>
        <source>(max = {top}, sum = {total})</source>
        <translation>(max = {top}, sum = {total})</translation>
    </message>
</context>
<context>
    <name>TokenChips</name>
    <message>
        <source>Text of the token</source>
        <translation>トークンの文字</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>書き換え</translation>
    </message>
    <message>
        <source>Add a token after it</source>
        <translation>後ろにトークンを追加</translation>
    </message>
    <message>
        <source>Move left</source>
        <translation>左へ移動</translation>
    </message>
    <message>
        <source>Move right</source>
        <translation>右へ移動</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>削除</translation>
    </message>
</context>
<context>
    <name>TokenEditor</name>
    <message>
        <source>Cross attention</source>
        <translation>クロスアテンション</translation>
    </message>
    <message>
        <source>The keys get a sentence of their own: queries of one text look at keys of another.</source>
        <translation>キーに別の文を与えます。ある文のクエリが、別の文のキーを見ます。</translation>
    </message>
    <message>
        <source>Sentence</source>
        <translation>文</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>トークン</translation>
    </message>
    <message>
        <source>Queries</source>
        <translation>クエリ</translation>
    </message>
    <message>
        <source>Sentence of the queries</source>
        <translation>クエリの文</translation>
    </message>
    <message>
        <source>Tokens of the queries</source>
        <translation>クエリのトークン</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>キー</translation>
    </message>
    <message>
        <source>Sentence of the keys</source>
        <translation>キーの文</translation>
    </message>
    <message>
        <source>Tokens of the keys</source>
        <translation>キーのトークン</translation>
    </message>
</context>
<context>
    <name>TokenFinder</name>
    <message>
        <source>Find a token</source>
        <translation>トークンを探す</translation>
    </message>
    <message>
        <source>Find tokens that hold this text</source>
        <translation>この文字を含むトークンを探す</translation>
    </message>
    <message>
        <source>The one before (Shift+Enter)</source>
        <translation>前へ（Shift+Enter）</translation>
    </message>
    <message>
        <source>The next one (Enter)</source>
        <translation>次へ（Enter）</translation>
    </message>
    <message>
        <source>Leave the search (Esc)</source>
        <translation>検索を終える（Esc）</translation>
    </message>
    <message>
        <source>{place} of {count} found</source>
        <translation>{count} 件中 {place} 件目</translation>
    </message>
    <message>
        <source>{count} found</source>
        <translation>{count} 件</translation>
    </message>
</context>
<context>
    <name>TokenLine</name>
    <message>
        <source>Its vectors are defaults; nobody has edited them yet.</source>
        <translation>ベクトルは初期値で、まだ編集されていません。</translation>
    </message>
</context>
<context>
    <name>TokenRow</name>
    <message>
        <source>Find</source>
        <translation>検索</translation>
    </message>
    <message>
        <source>Split the sentence into tokens</source>
        <translation>文をトークンに分割</translation>
    </message>
    <message>
        <source>Add a token after the selected one</source>
        <translation>選んだトークンの後ろに追加</translation>
    </message>
</context>
<context>
    <name>VectorGrid</name>
    <message>
        <source>Name of the dimension</source>
        <translation>次元の名前</translation>
    </message>
</context>
<context>
    <name>VectorTable</name>
    <message>
        <source>Vectors</source>
        <translation>ベクトル</translation>
    </message>
    <message>
        <source>The vectors of this token are defaults; nobody has edited them yet.</source>
        <translation>このトークンのベクトルは初期値で、まだ編集されていません。</translation>
    </message>
    <message>
        <source>{which}, one row per token</source>
        <translation>{which}（1行が1トークン）</translation>
    </message>
    <message>
        <source>{which}, one row per dimension of x</source>
        <translation>{which}（1行が x の1次元）</translation>
    </message>
    <message>
        <source>{which}, added to every row</source>
        <translation>{which}（各行に足す）</translation>
    </message>
    <message>
        <source>Double-click a dimension&apos;s name to change it.</source>
        <translation>次元の名前はダブルクリックで変えられます。</translation>
    </message>
</context>
<context>
    <name>VectorTools</name>
    <message>
        <source>vectors</source>
        <translation>ベクトル</translation>
    </message>
    <message>
        <source>q, k and v are vectors of their own</source>
        <translation>q、k、v はそれぞれのベクトル</translation>
    </message>
    <message>
        <source>q, k and v are derived: x · W</source>
        <translation>q、k、v は x · W から作る</translation>
    </message>
    <message>
        <source>q, k and v side by side</source>
        <translation>q、k、v を並べる</translation>
    </message>
    <message>
        <source>how {which} is derived from x</source>
        <translation>x から {which} を作る計算</translation>
    </message>
    <message>
        <source>v = k: v follows k</source>
        <translation>v = k：v を k に合わせる</translation>
    </message>
    <message>
        <source>d_model, dimensions of x</source>
        <translation>d_model（x の次元数）</translation>
    </message>
    <message>
        <source>d_k, dimensions of q and k</source>
        <translation>d_k（q と k の次元数）</translation>
    </message>
    <message>
        <source>d_v, dimensions of v</source>
        <translation>d_v（v の次元数）</translation>
    </message>
    <message>
        <source>bias b</source>
        <translation>バイアス b</translation>
    </message>
    <message>
        <source>v comes from x · W_V in this head.</source>
        <translation>このヘッドの v は x · W_V から作られます。</translation>
    </message>
    <message>
        <source>v takes k&apos;s numbers, and a change of one changes both.</source>
        <translation>v は k と同じ値になり、片方を変えると両方が変わります。</translation>
    </message>
    <message>
        <source>{bias}, added to every row of x · W</source>
        <translation>{bias}（x · W の各行に足す）</translation>
    </message>
</context>
<context>
    <name>WeightBars</name>
    <message>
        <source>By weight</source>
        <translation>重み順</translation>
    </message>
    <message>
        <source>Put the keys with the largest weights first</source>
        <translation>重みの大きいキーから並べます</translation>
    </message>
    <message>
        <source>Order by weight</source>
        <translation>重みの大きい順に並べる</translation>
    </message>
    <message>
        <source>The mask hides every key from this token, so it attends to nothing and its output is 0.</source>
        <translation>マスクのため、このトークンから見えるキーがありません。どこにも注目せず、出力は 0 です。</translation>
    </message>
    <message>
        <source>Weights of the selected query</source>
        <translation>選んだクエリの重み</translation>
    </message>
    <message>
        <source>Sums of the weights</source>
        <translation>重みの合計</translation>
    </message>
    <message>
        <source>{count} largest</source>
        <translation>上位 {count} 個</translation>
    </message>
    <message>
        <source>{count} others</source>
        <translation>他 {count} 個</translation>
    </message>
    <message>
        <source>Attention from “{token}”</source>
        <translation>「{token}」からの注目度</translation>
    </message>
</context>
<context>
    <name>WindowLayout</name>
    <message>
        <source>Note</source>
        <translation>解説</translation>
    </message>
    <message>
        <source>Arithmetic</source>
        <translation>計算の中身</translation>
    </message>
    <message>
        <source>Vectors q k v</source>
        <translation>ベクトル q k v</translation>
    </message>
    <message>
        <source>Heads and output</source>
        <translation>ヘッドと出力</translation>
    </message>
    <message>
        <source>All heads</source>
        <translation>すべてのヘッド</translation>
    </message>
    <message>
        <source>Shapes</source>
        <translation>形</translation>
    </message>
    <message>
        <source>Tabs below the maps</source>
        <translation>マップの下のタブ</translation>
    </message>
    <message>
        <source>Export PNG</source>
        <translation>PNG を書き出す</translation>
    </message>
    <message>
        <source>Export a picture, or the numbers of a stage</source>
        <translation>図や各段階の数値を書き出します</translation>
    </message>
</context>
<context>
    <name>_LongText</name>
    <message>
        <source>Splitting the text …</source>
        <translation>テキストを分割しています…</translation>
    </message>
</context>
<context>
    <name>engines</name>
    <message>
        <source>{engine}, 1 thread</source>
        <translation>{engine}、1スレッド</translation>
    </message>
    <message>
        <source>{engine}, {count} threads</source>
        <translation>{engine}、{count}スレッド</translation>
    </message>
</context>
<context>
    <name>errors</name>
    <message>
        <source>A CSV file holds one stage; choose one, or .npz or .json for all.</source>
        <translation>CSV に書けるのは1つの段階だけです。段階を1つ選ぶか、.npz か .json を選んでください。</translation>
    </message>
    <message>
        <source>A newer attnviz wrote it (format {got}; this one reads up to {wanted}).</source>
        <translation>新しい版の attnviz のファイルです（形式 {got}。この版で読めるのは {wanted} まで）。</translation>
    </message>
    <message>
        <source>A preset holds its arrays itself, not in “{name}”.</source>
        <translation>プリセットの配列が「{name}」に分かれています。プリセット自身に書かなければなりません。</translation>
    </message>
    <message>
        <source>A token needs at least one character; a blank is one.</source>
        <translation>トークンには1文字以上が必要です。空白も1文字です。</translation>
    </message>
    <message>
        <source>A token or a name holds half a character (U+{code}), which a CSV file cannot hold.</source>
        <translation>トークンか名前に文字の片割れ（U+{code}）があり、CSV には書けません。</translation>
    </message>
    <message>
        <source>Head {head} has vectors for {q} queries and {k} keys, but there are {tokens} tokens.</source>
        <translation>ヘッド {head} のベクトルはクエリ {q} 個、キー {k} 個分ですが、トークンは {tokens} 個あります。</translation>
    </message>
    <message>
        <source>Head “{name}” says v = k, but its v differs from its k.</source>
        <translation>ヘッド「{name}」は v = k のはずですが、v と k が違います。</translation>
    </message>
    <message>
        <source>It holds a file with the unsafe name “{name}”.</source>
        <translation>中に、危険な名前のファイル「{name}」があります。</translation>
    </message>
    <message>
        <source>It holds “{name}” twice.</source>
        <translation>中に「{name}」が2つあります。</translation>
    </message>
    <message>
        <source>It is a device or a pipe, not a file.</source>
        <translation>ファイルではなく、デバイスかパイプです。</translation>
    </message>
    <message>
        <source>It is a folder.</source>
        <translation>フォルダです。</translation>
    </message>
    <message>
        <source>It is a zip file of something else: there is no “{name}” in it.</source>
        <translation>別の目的の zip ファイルです。中に「{name}」がありません。</translation>
    </message>
    <message>
        <source>It is damaged or cut short.</source>
        <translation>ファイルが壊れているか、途中で切れています。</translation>
    </message>
    <message>
        <source>It is damaged.</source>
        <translation>ファイルが壊れています。</translation>
    </message>
    <message>
        <source>It is empty.</source>
        <translation>ファイルが空です。</translation>
    </message>
    <message>
        <source>It is locked with a password.</source>
        <translation>パスワードで保護されています。</translation>
    </message>
    <message>
        <source>It is not an attnviz session.</source>
        <translation>attnviz のセッションではありません。</translation>
    </message>
    <message>
        <source>It is not an attnviz session: “{name}” does not say so.</source>
        <translation>attnviz のセッションではありません。「{name}」にその記載がありません。</translation>
    </message>
    <message>
        <source>It is too large: {got} MB unpacked, at most {wanted} MB.</source>
        <translation>大きすぎます。展開後が {got} MB で、上限は {wanted} MB です。</translation>
    </message>
    <message>
        <source>Its version is not a number from 1.</source>
        <translation>形式の版が 1 以上の整数ではありません。</translation>
    </message>
    <message>
        <source>Nothing has been computed yet; try again in a moment.</source>
        <translation>まだ計算が終わっていません。少し待ってからもう一度試してください。</translation>
    </message>
    <message>
        <source>Row {row} of the pasted table has {got} cells, row 1 has {wanted}; all rows need the same.</source>
        <translation>貼り付けた表の {row} 行目のセルが {got} 個で、1 行目の {wanted} 個と違います。すべての行で同じ数にしてください。</translation>
    </message>
    <message>
        <source>Row {row}, column {column} of the pasted table: {reason}</source>
        <translation>貼り付けた表の {row} 行 {column} 列目：{reason}</translation>
    </message>
    <message>
        <source>The CPU was asked for.</source>
        <translation>CPU が選ばれています。</translation>
    </message>
    <message>
        <source>The NVIDIA driver is too old for this build of PyCUDA ({reason}); build PyCUDA again with make cuda, which serves drivers from 525 on, or install a newer driver.</source>
        <translation>このPyCUDAにはNVIDIAのドライバーが古すぎます（{reason}）。make cudaでPyCUDAを作り直す（525以降のドライバーで動きます）か、新しいドライバーを入れてください。</translation>
    </message>
    <message>
        <source>The computation failed: {reason}.</source>
        <translation>計算に失敗しました（{reason}）。</translation>
    </message>
    <message>
        <source>The field is empty; write a number such as 0.75.</source>
        <translation>欄が空です。0.75 のような数値を書いてください。</translation>
    </message>
    <message>
        <source>The kernels were compiled for another kind of GPU; delete {folder} and choose CUDA again.</source>
        <translation>カーネルが別の種類のGPU向けにコンパイルされています。{folder}を消して、CUDAを選び直してください。</translation>
    </message>
    <message>
        <source>The kernels were compiled for another kind of GPU; install another compiler as docs/cuda-install.md says, and choose CUDA again.</source>
        <translation>カーネルが別の種類のGPU向けにコンパイルされています。docs/cuda-install.mdに従って別のコンパイラーを入れ、CUDAを選び直してください。</translation>
    </message>
    <message>
        <source>The mask has shape {got}; {wanted} is wanted, one row per query and one column per key.</source>
        <translation>マスクの形が {got} です。1行が1クエリ、1列が1キーの {wanted} でなければなりません。</translation>
    </message>
    <message>
        <source>The mask is {got}; a bool array of shape (n_query, n_key) is wanted, True where a query may attend.</source>
        <translation>マスクが {got} です。クエリから見えるところが True の、形が (n_query, n_key) の bool 配列でなければなりません。</translation>
    </message>
    <message>
        <source>The mask value is {got}; −∞ or a finite number is wanted.</source>
        <translation>マスク値が {got} です。−∞ か有限の数値にしてください。</translation>
    </message>
    <message>
        <source>The mask value {got} is out of range; write a number from {minimum} to {maximum}.</source>
        <translation>マスク値 {got} は範囲の外です。{minimum} から {maximum} までの数値を書いてください。</translation>
    </message>
    <message>
        <source>The pasted text is not a table: {reason}.</source>
        <translation>貼り付けたテキストは表ではありません（{reason}）。</translation>
    </message>
    <message>
        <source>The pasted text is too long for a table of numbers.</source>
        <translation>貼り付けたテキストは、数値の表としては長すぎます。</translation>
    </message>
    <message>
        <source>The picture of {width} × {height} px cannot be written as PNG.</source>
        <translation>{width} × {height} px の図は PNG に書き出せません。</translation>
    </message>
    <message>
        <source>The region&apos;s {what} run from {first} to {last}; a range within 0 to {wanted} is wanted.</source>
        <translation>領域の{what}が {first} から {last} までです。0 から {wanted} までの範囲でなければなりません。</translation>
    </message>
    <message>
        <source>The scale strength is {got}; a number from 0.01 to 100 is wanted.</source>
        <translation>スケールの強さが {got} です。0.01 から 100 までの数値にしてください。</translation>
    </message>
    <message>
        <source>The sentence is empty; write at least one word.</source>
        <translation>文が空です。1語以上を書いてください。</translation>
    </message>
    <message>
        <source>There are {got} heads; 1 to {wanted} are possible.</source>
        <translation>ヘッドが {got} 個になります。1 個から {wanted} 個までにしてください。</translation>
    </message>
    <message>
        <source>There are {got} tokens; at most {wanted} are possible.</source>
        <translation>トークンが {got} 個になります。{wanted} 個までにしてください。</translation>
    </message>
    <message>
        <source>There is no dimension {got}; 0 to {last} are there, counted from 0.</source>
        <translation>次元 {got} はありません。0 から数えて {last} までです。</translation>
    </message>
    <message>
        <source>There is no display to open a window on; attnviz render draws a picture without one.</source>
        <translation>ウィンドウを開く画面がありません。attnviz render を使えば、画面なしで図を描けます。</translation>
    </message>
    <message>
        <source>There is no engine “{got}”; auto, cuda or cpu is wanted.</source>
        <translation>計算エンジン「{got}」はありません。auto、cuda、cpu のどれかを選んでください。</translation>
    </message>
    <message>
        <source>There is no file “{path}”.</source>
        <translation>ファイル「{path}」がありません。</translation>
    </message>
    <message>
        <source>There is no mask “{got}”; causal, none or a bool array is wanted.</source>
        <translation>マスク「{got}」はありません。causal か none か bool 配列でなければなりません。</translation>
    </message>
    <message>
        <source>There is no memory for a picture of {width} × {height} px.</source>
        <translation>{width} × {height} px の図を描くメモリがありません。図を小さくしてください。</translation>
    </message>
    <message>
        <source>There is no preset “{got}”; {wanted} are there.</source>
        <translation>プリセット「{got}」はありません。あるのは {wanted} です。</translation>
    </message>
    <message>
        <source>There is no stage “{got}”; {wanted} are there.</source>
        <translation>段階「{got}」はありません。あるのは {wanted} です。</translation>
    </message>
    <message>
        <source>There is no token; at least one is needed.</source>
        <translation>トークンがありません。1 個以上が必要です。</translation>
    </message>
    <message>
        <source>There is no {what} {got}; 0 to {last} are there, counted from 0.</source>
        <translation>{what} {got} はありません。0 から数えて {last} までです。</translation>
    </message>
    <message>
        <source>There is not enough memory to compute this; make the document smaller.</source>
        <translation>計算するメモリが足りません。文書を小さくしてください。</translation>
    </message>
    <message>
        <source>There is nothing to paste; copy numbers first.</source>
        <translation>貼り付けるものがありません。先に数値をコピーしてください。</translation>
    </message>
    <message>
        <source>This is the only head; a document needs at least one.</source>
        <translation>最後のヘッドなので削除できません。ヘッドは 1 個以上必要です。</translation>
    </message>
    <message>
        <source>This is the only token; a sentence needs at least one.</source>
        <translation>最後のトークンなので削除できません。トークンは 1 個以上必要です。</translation>
    </message>
    <message>
        <source>A head&apos;s source is “{got}”; vectors, positions or projection is wanted.</source>
        <translation>ヘッドの source が「{got}」です。vectors、positions、projection のどれかにしてください。</translation>
    </message>
    <message>
        <source>A computation on the GPU touched memory that is not its own; start attnviz again to use the GPU once more.</source>
        <translation>GPUでの計算が範囲外のメモリに触れました。もう一度GPUを使うにはattnvizを起動し直してください。</translation>
    </message>
    <message>
        <source>A computation on the GPU was broken off (unspecified launch failure); start attnviz again to use the GPU once more.</source>
        <translation>GPUでの計算が中断されました（unspecified launch failure）。もう一度GPUを使うにはattnvizを起動し直してください。</translation>
    </message>
    <message>
        <source>A lesson holds its masks itself, not in “{name}”.</source>
        <translation>レッスンのマスクは「{name}」の中ではなく、レッスン自体に書きます。</translation>
    </message>
    <message>
        <source>A worker of the cluster cannot compute “{name}”: attnviz is not installed there ({reason}).</source>
        <translation>クラスターのワーカーでは「{name}」を計算できません。attnviz が入っていません（{reason}）。</translation>
    </message>
    <message>
        <source>An unsaved document could not be recovered and was set aside as “{path}”: {reason}</source>
        <translation>保存していない文書を復元できなかったため、「{path}」として別に残しました：{reason}</translation>
    </message>
    <message>
        <source>CUDA cannot be used here ({reason}); check with nvidia-smi that the GPU and its driver work.</source>
        <translation>ここではCUDAを使えません（{reason}）。GPUとドライバーが動いているかをnvidia-smiで確かめてください。</translation>
    </message>
    <message>
        <source>CUDA could not be made ready: {reason}</source>
        <translation>CUDAの準備ができませんでした：{reason}</translation>
    </message>
    <message>
        <source>CUDA is being made ready.</source>
        <translation>CUDAを準備しています。</translation>
    </message>
    <message>
        <source>CUDA is off until attnviz is started again: {reason}</source>
        <translation>attnvizを起動し直すまでCUDAは使えません：{reason}</translation>
    </message>
    <message>
        <source>CUDA sees no GPU and CUDA_VISIBLE_DEVICES is “{got}”; name one of those that nvidia-smi -L lists.</source>
        <translation>CUDAから見えるGPUがなく、CUDA_VISIBLE_DEVICESは「{got}」です。nvidia-smi -Lに出るGPUを指定してください。</translation>
    </message>
    <message>
        <source>CUDA_VISIBLE_DEVICES is “{got}”, which hides every GPU; unset it or name one, such as 0.</source>
        <translation>CUDA_VISIBLE_DEVICESが「{got}」なので、どのGPUも見えません。設定を消すか、0のように指定してください。</translation>
    </message>
    <message>
        <source>Head {head} has vectors for {q} queries and {k} keys, but there are {queries} query tokens and {keys} key tokens.</source>
        <translation>ヘッド {head} のベクトルはクエリ {q} 個、キー {k} 個ぶんですが、クエリのトークンは {queries} 個、キーのトークンは {keys} 個です。</translation>
    </message>
    <message>
        <source>Head “{name}” has the source “{source}”; W_Q, W_K and W_V belong to a head whose source is projection, and to no other.</source>
        <translation>ヘッド「{name}」の source は「{source}」です。W_Q、W_K、W_V は source が projection のヘッドだけに付きます。</translation>
    </message>
    <message>
        <source>Head “{name}” is derived from x, but there is no x.</source>
        <translation>ヘッド「{name}」は x から作られますが、x がありません。</translation>
    </message>
    <message>
        <source>Head “{name}” is derived from x, which has {got} rows, but there are {wanted} key tokens; they need an x of their own.</source>
        <translation>ヘッド「{name}」は x から作られます。x は {got} 行ですが、キーのトークンは {wanted} 個です。キーに別の x を与えてください。</translation>
    </message>
    <message>
        <source>Head “{name}” is not derived from x; choose x · W for it first.</source>
        <translation>ヘッド「{name}」は x から作られていません。先に x · W を選んでください。</translation>
    </message>
    <message>
        <source>Head “{name}” says v = k, but its v comes from x · W_V; give it one of the two.</source>
        <translation>ヘッド「{name}」は v = k ですが、v が x · W_V から作られています。どちらか一方にしてください。</translation>
    </message>
    <message>
        <source>It holds far too many files.</source>
        <translation>中のファイルが多すぎます。</translation>
    </message>
    <message>
        <source>It holds {got}; finite numbers are wanted.</source>
        <translation>{got} があります。有限の数値にしてください。</translation>
    </message>
    <message>
        <source>It is not a lesson: its “format” is not “{wanted}”.</source>
        <translation>レッスンではありません。「format」が「{wanted}」ではありません。</translation>
    </message>
    <message>
        <source>It is not valid JSON.</source>
        <translation>正しい JSON ではありません。</translation>
    </message>
    <message>
        <source>It is not valid JSON: something is wrong at line {line}, column {column}.</source>
        <translation>正しい JSON ではありません。{line} 行 {column} 列に誤りがあります。</translation>
    </message>
    <message>
        <source>It is too large for a lesson: at most {wanted} kB are possible.</source>
        <translation>レッスンには大きすぎます。{wanted} kB までです。</translation>
    </message>
    <message>
        <source>Its “version” is not {wanted}, the one that this attnviz reads.</source>
        <translation>「version」が、この attnviz の読める {wanted} ではありません。</translation>
    </message>
    <message>
        <source>PyCUDA is installed but cannot be loaded ({reason}); install it again as docs/cuda-install.md says.</source>
        <translation>PyCUDAはありますが読み込めません（{reason}）。docs/cuda-install.mdのとおりに入れ直してください。</translation>
    </message>
    <message>
        <source>PyCUDA is not installed; docs/cuda-install.md says how to install it on a machine with an NVIDIA GPU.</source>
        <translation>PyCUDAが入っていません。NVIDIAのGPUがあるマシンでの入れ方はdocs/cuda-install.mdにあります。</translation>
    </message>
    <message>
        <source>PyCUDA was built for another version of numpy ({reason}); install it again as docs/cuda-install.md says.</source>
        <translation>PyCUDAは別の版のnumpy向けに作られています（{reason}）。docs/cuda-install.mdのとおりに入れ直してください。</translation>
    </message>
    <message>
        <source>The CPU has taken over: {reason}</source>
        <translation>CPUに切り替えました：{reason}</translation>
    </message>
    <message>
        <source>The CUDA library found is a stub without a driver in it; install the NVIDIA driver and take the folder “stubs” out of LD_LIBRARY_PATH.</source>
        <translation>見つかったCUDAライブラリは、ドライバーの入っていないスタブです。NVIDIAのドライバーを入れ、LD_LIBRARY_PATHからフォルダー「stubs」を外してください。</translation>
    </message>
    <message>
        <source>The GPU has no memory left; close other programs that use it, and choose CUDA again.</source>
        <translation>GPUのメモリに空きがありません。GPUを使っているほかのプログラムを閉じて、CUDAを選び直してください。</translation>
    </message>
    <message>
        <source>The GPU has too few registers or too little shared memory for a kernel; choose the CPU for this document.</source>
        <translation>カーネルに必要なレジスタか共有メモリがGPUに足りません。この文書ではCPUを選んでください。</translation>
    </message>
    <message>
        <source>The GPU has too little free memory for this document; close other programs that use it, or make the document smaller.</source>
        <translation>この文書にはGPUの空きメモリが足りません。GPUを使っているほかのプログラムを閉じるか、文書を小さくしてください。</translation>
    </message>
    <message>
        <source>The GPU is in use by another program alone, or closed to all; end that program or set the compute mode with nvidia-smi -c 0.</source>
        <translation>GPUはほかのプログラムが占有しているか、使用が禁じられています。そのプログラムを終えるか、nvidia-smi -c 0で計算モードを戻してください。</translation>
    </message>
    <message>
        <source>The GPU reported an error ({reason}); start attnviz again to use it once more.</source>
        <translation>GPUがエラーを返しました（{reason}）。もう一度GPUを使うにはattnvizを起動し直してください。</translation>
    </message>
    <message>
        <source>The GPU was taken away from attnviz (its context is gone), as by a reset or another program in this process; start attnviz again to use the GPU once more.</source>
        <translation>リセットなどでGPUが使えなくなりました（コンテキストが失われました）。もう一度GPUを使うにはattnvizを起動し直してください。</translation>
    </message>
    <message>
        <source>The GPU&apos;s memory has an error that cannot be corrected; reset the GPU or restart the machine, and start attnviz again.</source>
        <translation>GPUのメモリに訂正できないエラーがあります。GPUをリセットするかマシンを再起動して、attnvizを起動し直してください。</translation>
    </message>
    <message>
        <source>The GPUs are not ready yet (the system is not initialised); see that nvidia-fabricmanager runs, or restart the machine.</source>
        <translation>GPUの準備がまだできていません（システムが初期化されていません）。nvidia-fabricmanagerが動いているかを確かめるか、マシンを再起動してください。</translation>
    </message>
    <message>
        <source>The NVIDIA driver failed for no stated reason (unknown error); restart the machine, or load the driver anew with sudo modprobe -r nvidia_uvm &amp;&amp; sudo modprobe nvidia_uvm.</source>
        <translation>NVIDIAのドライバーが理由を示さずに失敗しました（unknown error）。マシンを再起動するか、sudo modprobe -r nvidia_uvm &amp;&amp; sudo modprobe nvidia_uvmでドライバーを読み込み直してください。</translation>
    </message>
    <message>
        <source>The NVIDIA driver sees no GPU; check with nvidia-smi that one is there and switched on.</source>
        <translation>NVIDIAのドライバーからGPUが見えません。GPUがあって使える状態かをnvidia-smiで確かめてください。</translation>
    </message>
    <message>
        <source>The alignment of queries and keys is “{got}”; first or last is wanted.</source>
        <translation>クエリとキーの揃え方が「{got}」です。first または last にしてください。</translation>
    </message>
    <message>
        <source>The cells to paint run over the {what} {first} to {last}; a range within 0 to {wanted} is wanted.</source>
        <translation>塗るセルの{what}が {first} から {last} までです。0 から {wanted} までの範囲にしてください。</translation>
    </message>
    <message>
        <source>The document cannot be written: {reason}.</source>
        <translation>文書を書き込めません：{reason}。</translation>
    </message>
    <message>
        <source>The document in this picture is damaged: a checksum is wrong.</source>
        <translation>この画像に埋め込まれた文書が壊れています：チェックサムが合いません。</translation>
    </message>
    <message>
        <source>The document in this picture is damaged: a part of it cannot be unpacked.</source>
        <translation>この画像に埋め込まれた文書が壊れています：展開できない部分があります。</translation>
    </message>
    <message>
        <source>The document in this picture is damaged: a part of it has {got} bytes, at most {wanted} are possible.</source>
        <translation>この画像に埋め込まれた文書が壊れています：ある部分が {got} バイトあり、上限の {wanted} バイトを超えています。</translation>
    </message>
    <message>
        <source>The document in this picture is damaged: its parts are not in order.</source>
        <translation>この画像に埋め込まれた文書が壊れています：分割された部分の順序が正しくありません。</translation>
    </message>
    <message>
        <source>The document in this picture is damaged: {got} of its {wanted} parts are there.</source>
        <translation>この画像に埋め込まれた文書が壊れています：{wanted} 個の部分のうち {got} 個しかありません。</translation>
    </message>
    <message>
        <source>The driver stopped a computation on the GPU because it took too long, as it does on a GPU that drives a screen; start attnviz again to use it once more.</source>
        <translation>GPUでの計算が長すぎたため、ドライバーが止めました（画面をつないだGPUで起こります）。もう一度GPUを使うにはattnvizを起動し直してください。</translation>
    </message>
    <message>
        <source>The kind of mask is “{got}”; causal, none, padding, window, sinks, prefix or custom is wanted.</source>
        <translation>マスクの種類が「{got}」です。causal、none、padding、window、sinks、prefix、custom のどれかにしてください。</translation>
    </message>
    <message>
        <source>The length of the prefix is {got}; a whole number from 1 to {wanted} is wanted.</source>
        <translation>接頭部の長さが {got} です。1 から {wanted} までの整数にしてください。</translation>
    </message>
    <message>
        <source>The number of sink tokens is {got}; a whole number from 0 to {wanted} is wanted.</source>
        <translation>シンクのトークン数が {got} です。0 から {wanted} までの整数にしてください。</translation>
    </message>
    <message>
        <source>The output is of all heads together; leave the head out.</source>
        <translation>出力は全ヘッドをまとめたものです。ヘッドの指定を外してください。</translation>
    </message>
    <message>
        <source>The padding holds token {got}, but there are only {wanted} key tokens, counted from 0.</source>
        <translation>パディングにトークン {got} がありますが、キーのトークンは {wanted} 個（0 から数える）しかありません。</translation>
    </message>
    <message>
        <source>The padding holds “{got}”; indices of tokens are wanted, counted from 0.</source>
        <translation>パディングに「{got}」があります。0 から数えたトークンの番号にしてください。</translation>
    </message>
    <message>
        <source>The parts of the NVIDIA driver do not fit each other (its library and its kernel module differ); restart the machine, or install the driver again.</source>
        <translation>NVIDIAのドライバーの部品どうしが合っていません（ライブラリとカーネルモジュールの版が違います）。マシンを再起動するか、ドライバーを入れ直してください。</translation>
    </message>
    <message>
        <source>The picture has far too many chunks.</source>
        <translation>画像のチャンクが多すぎます。</translation>
    </message>
    <message>
        <source>The picture is damaged or cut short.</source>
        <translation>画像が壊れているか、途中で切れています。</translation>
    </message>
    <message>
        <source>The tokens are the keys in this document; separate the keys from them first.</source>
        <translation>この文書ではトークンがそのままキーです。先にキーをトークンから分けてください。</translation>
    </message>
    <message>
        <source>The width of the window is {got}; a whole number from 1 to {wanted} is wanted.</source>
        <translation>窓の幅が {got} です。1 から {wanted} までの整数にしてください。</translation>
    </message>
    <message>
        <source>The {what} is “{got}”; one of {known} is wanted.</source>
        <translation>{what} が「{got}」です。{known} のいずれかにしてください。</translation>
    </message>
    <message>
        <source>There is an x of the keys, but there are no key tokens; give both or none.</source>
        <translation>キーの x がありますが、キーのトークンがありません。両方を指定するか、どちらも指定しないでください。</translation>
    </message>
    <message>
        <source>There is no NVIDIA driver on this machine (libcuda.so.1 is missing); with an NVIDIA GPU, install its driver.</source>
        <translation>このマシンにはNVIDIAのドライバーがありません（libcuda.so.1がありません）。NVIDIAのGPUがあるなら、ドライバーを入れてください。</translation>
    </message>
    <message>
        <source>There is no compiler for the CUDA kernels (neither nvcc nor NVRTC); install NVRTC with pip install nvidia-cuda-nvrtc-cu12, or a CUDA toolkit.</source>
        <translation>CUDAカーネルのコンパイラがありません（nvccもNVRTCも見つかりません）。pip install nvidia-cuda-nvrtc-cu12 でNVRTCを入れるか、CUDA Toolkitを入れてください。</translation>
    </message>
    <message>
        <source>There is no lesson “{got}”; {wanted} are there.</source>
        <translation>レッスン「{got}」はありません。あるのは {wanted} です。</translation>
    </message>
    <message>
        <source>There is no x in this document; give it one first.</source>
        <translation>この文書には x がありません。先に x を作ってください。</translation>
    </message>
    <message>
        <source>There is no {what} called “{got}”; {wanted} are there.</source>
        <translation>「{got}」という{what}はありません。あるのは {wanted} です。</translation>
    </message>
    <message>
        <source>This picture carries no document; only one that attnviz exported with it opens as a document.</source>
        <translation>この画像には文書が埋め込まれていません。文書として開けるのは、attnviz が文書を埋め込んで書き出した画像だけです。</translation>
    </message>
    <message>
        <source>W gives {got} dimensions for {which}, which has {wanted}; both need the same number.</source>
        <translation>W から作る {which} は {got} 次元ですが、{which} は {wanted} 次元です。同じ数にしてください。</translation>
    </message>
    <message>
        <source>W_K has {k} rows and W_V has {v}; both need one row per dimension of x.</source>
        <translation>W_K は {k} 行、W_V は {v} 行です。どちらも x の次元数と同じ行数にしてください。</translation>
    </message>
    <message>
        <source>W_O has {got} rows, but the heads&apos; outputs side by side have {wanted} columns (Σ d_v); both need the same number.</source>
        <translation>W_O の行数が {got} ですが、ヘッドの出力を並べると {wanted} 列（Σ d_v）です。同じ数にしてください。</translation>
    </message>
    <message>
        <source>W_Q has {q} columns and W_K has {k}; both need the same d_k.</source>
        <translation>W_Q の列数が {q}、W_K の列数が {k} です。どちらも同じ d_k にしてください。</translation>
    </message>
    <message>
        <source>k has {k} keys and v has {v} (axis {axis}); both need one row per key.</source>
        <translation>k のキーは {k} 個、v は {v} 個です（軸 {axis}）。どちらもキーごとに 1 行にしてください。</translation>
    </message>
    <message>
        <source>x has {x} dimensions, but {which} of head “{name}” has {got} rows; both need the same d_model.</source>
        <translation>x は {x} 次元ですが、ヘッド「{name}」の {which} は {got} 行です。どちらも同じ d_model にしてください。</translation>
    </message>
    <message>
        <source>x of the keys has {got} rows, but there are {wanted} key tokens; one row per token is wanted.</source>
        <translation>キーの x は {got} 行ですが、キーのトークンは {wanted} 個です。トークンごとに 1 行にしてください。</translation>
    </message>
    <message>
        <source>{got} files were dropped; drop one at a time.</source>
        <translation>{got} 個のファイルが放されました。1 個ずつ放してください。</translation>
    </message>
    <message>
        <source>{got} numbers are too many for the clipboard; select at most {wanted}.</source>
        <translation>{got} 個の数はクリップボードには多すぎます。{wanted} 個までを選んでください。</translation>
    </message>
    <message>
        <source>{got} {what} were given for arrays of {wanted}; one each is needed.</source>
        <translation>長さ {wanted} の配列に {what} が {got} 個与えられました。1 つずつ必要です。</translation>
    </message>
    <message>
        <source>{what} is of CUDA {got}, but the driver knows CUDA up to {wanted}; update the driver, or install a compiler of its version with pip install {package}.</source>
        <translation>{what}はCUDA {got}のものですが、ドライバーが対応するのはCUDA {wanted}までです。ドライバーを新しくするか、pip install {package}でドライバーに合うコンパイラーを入れてください。</translation>
    </message>
    <message>
        <source>“{name}” holds numbers of head {got}, counted from 0, but the document has heads 0 to {last}; replace the heads, or add these to them.</source>
        <translation>「{name}」はヘッド {got}（0から数えて）の数値ですが、文書のヘッドは 0 から {last} までです。ヘッドを置き換えるか、追加してください。</translation>
    </message>
    <message>
        <source>“{name}” would be read {got} bytes at a time; at most {wanted} are possible.</source>
        <translation>「{name}」は一度に {got} バイトずつ読むことになります。読めるのは {wanted} バイトまでです。</translation>
    </message>
    <message>
        <source>“{path}” cannot be opened. {reason}</source>
        <translation>「{path}」を開けません。{reason}</translation>
    </message>
    <message>
        <source>“{path}” is the name of a picture; save the document as .attnviz, or export a picture.</source>
        <translation>「{path}」は画像の名前です。文書は .attnviz として保存するか、画像として書き出してください。</translation>
    </message>
    <message>
        <source>“{place}” has {got} characters; at most {wanted} are possible.</source>
        <translation>「{place}」が {got} 文字あります。{wanted} 文字までです。</translation>
    </message>
    <message>
        <source>“{place}” has {got} entries; {least} to {most} are possible.</source>
        <translation>「{place}」の項目が {got} 個あります。{least} 個から {most} 個までです。</translation>
    </message>
    <message>
        <source>k has {k} rows and v has {v}; both need one row per key token.</source>
        <translation>k が {k} 行、v が {v} 行です。どちらもキーのトークンごとに1行が必要です。</translation>
    </message>
    <message>
        <source>A mask of one&apos;s own holds every cell, {n_query} × {n_key} here; up to {side} × {side} can be held. Choose another kind of mask.</source>
        <translation>自作のマスクはすべてのセルを持つため、{side} × {side} までです（ここでは {n_query} × {n_key}）。ほかの種類のマスクを選んでください。</translation>
    </message>
    <message>
        <source>A picture of {rows} × {columns} cells takes {needed} bytes of memory, and {had} are free; choose a smaller one.</source>
        <translation>{rows} × {columns} セルの画像には {needed} バイトのメモリが必要ですが、空きは {had} バイトです。もっと小さい画像を選んでください。</translation>
    </message>
    <message>
        <source>It holds more than {wanted} arrays.</source>
        <translation>配列が {wanted} 個より多く入っています。</translation>
    </message>
    <message>
        <source>It holds no lists of numbers; an object of names and lists is wanted.</source>
        <translation>数値のリストがありません。名前とリストからなるオブジェクトが必要です。</translation>
    </message>
    <message>
        <source>It holds {got} arrays; at most {wanted} are possible.</source>
        <translation>配列が {got} 個あります。{wanted} 個までにしてください。</translation>
    </message>
    <message>
        <source>It is a zip file of something else: there is no NPY array in it.</source>
        <translation>別の種類の ZIP ファイルです。NPY 配列がありません。</translation>
    </message>
    <message>
        <source>It is damaged: it is UTF-8 up to byte {place}, but not what stands there; put that right, or save the text as UTF-8 again.</source>
        <translation>壊れています。{place} バイト目までは UTF-8 ですが、そこから先が UTF-8 として読めません。その箇所を直すか、UTF-8 で保存し直してください。</translation>
    </message>
    <message>
        <source>It is damaged: {reason}.</source>
        <translation>壊れています（{reason}）。</translation>
    </message>
    <message>
        <source>It is no file of arrays; NPZ, NPY, CSV, TSV and JSON can be imported.</source>
        <translation>配列のファイルではありません。取り込めるのは NPZ、NPY、CSV、TSV、JSON です。</translation>
    </message>
    <message>
        <source>It is no text in UTF-8 (at byte {place}); save it as UTF-8.</source>
        <translation>UTF-8 のテキストではありません（{place} バイト目）。UTF-8 で保存してください。</translation>
    </message>
    <message>
        <source>It is no text in an encoding that is known; save it as UTF-8.</source>
        <translation>文字コードの分からないファイルです。UTF-8で保存し直してください。</translation>
    </message>
    <message>
        <source>It is no text: there are NUL characters in it.</source>
        <translation>NUL文字が含まれているため、テキストではありません。</translation>
    </message>
    <message>
        <source>It is not a table: {reason}.</source>
        <translation>表として読めません：{reason}。</translation>
    </message>
    <message>
        <source>It is too large: {got} MB, and a text may have {wanted} MB.</source>
        <translation>大きすぎます（{got} MB）。テキストは{wanted} MBまでです。</translation>
    </message>
    <message>
        <source>No token holds “{text}”; write a part of one, or numbers such as 12, 7.</source>
        <translation>「{text}」を含むトークンはありません。トークンの一部か、12, 7 のような数を書いてください。</translation>
    </message>
    <message>
        <source>Nothing was chosen to be imported; say what an array becomes.</source>
        <translation>取り込む配列が選ばれていません。配列の取り込み先を選んでください。</translation>
    </message>
    <message>
        <source>Reading Zarr needs a package that is not here; pip install &apos;attnviz[arrays]&apos; brings it.</source>
        <translation>Zarr を読むためのパッケージがありません。pip install &apos;attnviz[arrays]&apos; で入ります。</translation>
    </message>
    <message>
        <source>Row {row} has far too many columns.</source>
        <translation>{row} 行目の列が多すぎます。</translation>
    </message>
    <message>
        <source>Row {row} has {got} cells, those before have {wanted}; all rows need the same.</source>
        <translation>{row} 行目のセルは {got} 個ですが、それまでの行は {wanted} 個です。すべての行を同じにしてください。</translation>
    </message>
    <message>
        <source>Row {row}, column {column} holds “{got}”; a finite number of magnitude up to 1e6 is wanted.</source>
        <translation>{row} 行 {column} 列は「{got}」です。絶対値が 1e6 以下の有限の数が必要です。</translation>
    </message>
    <message>
        <source>The number of heads of “{name}” is {got}, but that of the document {wanted}; replace the heads, or add these to them.</source>
        <translation>「{name}」のヘッドは {got} 個ですが、文書のヘッドは {wanted} 個です。ヘッドを置き換えるか、追加してください。</translation>
    </message>
    <message>
        <source>The text has more than {wanted} tokens: so many end at character {place} of {got}. Shorten it, or divide it into several texts.</source>
        <translation>テキストのトークンが{wanted}個を超えています（{got}文字のうち{place}文字目でその数に達します）。短くするか、いくつかのテキストに分けてください。</translation>
    </message>
    <message>
        <source>The text has {got} characters; at most {wanted} are possible. Shorten it, or divide it into several texts.</source>
        <translation>テキストは{got}文字あります。扱えるのは{wanted}文字までです。短くするか、いくつかのテキストに分けてください。</translation>
    </message>
    <message>
        <source>There is no Zarr store in it.</source>
        <translation>その中に Zarr ストアがありません。</translation>
    </message>
    <message>
        <source>There is no array of numbers in it.</source>
        <translation>数値の配列がありません。</translation>
    </message>
    <message>
        <source>There is no array “{which}” in it.</source>
        <translation>配列「{which}」が入っていません。</translation>
    </message>
    <message>
        <source>There is no number in it.</source>
        <translation>数値がありません。</translation>
    </message>
    <message>
        <source>There is no q, k, v or W_Q among the arrays, of which heads are made.</source>
        <translation>ヘッドの元になる q、k、v、W_Q が配列の中にありません。</translation>
    </message>
    <message>
        <source>There is not enough memory for it.</source>
        <translation>メモリが足りません。</translation>
    </message>
    <message>
        <source>There is not enough memory for this.</source>
        <translation>これに使うメモリが足りません。</translation>
    </message>
    <message>
        <source>There is nothing for head {got}, but for head {other}; heads are counted from 0.</source>
        <translation>ヘッド {other} の配列はありますが、ヘッド {got} の配列がありません。ヘッドは 0 から数えます。</translation>
    </message>
    <message>
        <source>This could not be done: {reason}.</source>
        <translation>実行できませんでした：{reason}。</translation>
    </message>
    <message>
        <source>W_Q, W_K and W_V make q, k and v of x, but there is no x; import one with them.</source>
        <translation>W_Q、W_K、W_V は x から q、k、v を作りますが、x がありません。x も一緒に取り込んでください。</translation>
    </message>
    <message>
        <source>nvcc needs a C++ compiler and found none; install g++, or NVRTC, which needs none, with pip install nvidia-cuda-nvrtc-cu12.</source>
        <translation>nvccにはC++コンパイラが必要ですが、見つかりません。g++を入れるか、C++コンパイラの要らないNVRTCを pip install nvidia-cuda-nvrtc-cu12 で入れてください。</translation>
    </message>
    <message>
        <source>q has shape {q} and {which} has shape {got}; both need the same number of axes.</source>
        <translation>q の形が {q}、{which} の形が {got} です。軸の数をそろえてください。</translation>
    </message>
    <message>
        <source>q has {q} dimensions and k has {got} (axis {axis}); both need the same d_k.</source>
        <translation>q が {q} 次元、k が {got} 次元です（軸 {axis}）。d_k をそろえてください。</translation>
    </message>
    <message>
        <source>q has {q} dimensions and k has {k}; both need the same d_k.</source>
        <translation>q が {q} 次元、k が {k} 次元です。d_k をそろえてください。</translation>
    </message>
    <message>
        <source>q has {q} heads and {which} has {got} (axis 0); both need the same number.</source>
        <translation>q のヘッドが {q} 個、{which} のヘッドが {got} 個です（軸 0）。数をそろえてください。</translation>
    </message>
    <message>
        <source>q, k and v lie elsewhere, and {got} MB would be copied each time; save the document yourself.</source>
        <translation>q、k、v は外部にあり、そのたびに {got} MB を写すことになります。文書は自分で保存してください。</translation>
    </message>
    <message>
        <source>x has {got} rows, but there are {wanted} tokens; one row per token is wanted.</source>
        <translation>x の行数が {got} ですが、トークンは {wanted} 個です。1トークンに1行にしてください。</translation>
    </message>
    <message>
        <source>{device} computed wrong numbers ({stage}) when it was tried; update the NVIDIA driver, or see with another program whether the GPU is sound.</source>
        <translation>{device} で試したところ、計算した数値が誤っていました（{stage}）。NVIDIA ドライバーを更新するか、GPU が正常かどうかを別のプログラムで確かめてください。</translation>
    </message>
    <message>
        <source>{got} dimensions were asked for {what}; 1 to 4096 are possible.</source>
        <translation>{what} を {got} 次元にはできません。1 から 4096 までにしてください。</translation>
    </message>
    <message>
        <source>{got} marks were given for {wanted} tokens.</source>
        <translation>トークンが {wanted} 個なのに、印が {got} 個あります。</translation>
    </message>
    <message>
        <source>{got} names were given for the {wanted} dimensions of {what}.</source>
        <translation>{what} が {wanted} 次元なのに、名前が {got} 個あります。</translation>
    </message>
    <message>
        <source>{got} names were given for {wanted} heads; one each is needed.</source>
        <translation>ヘッドが {wanted} 個なのに、名前が {got} 個あります。1 個ずつ必要です。</translation>
    </message>
    <message>
        <source>{rows} × {columns} numbers from row {row}, column {column} do not fit into {what}, which has {n_rows} rows × {n_columns} columns.</source>
        <translation>{row} 行 {column} 列から {rows} × {columns} 個の値は {what}（{n_rows} 行 × {n_columns} 列）に収まりません。</translation>
    </message>
    <message>
        <source>{rows} × {columns} numbers from token {token}, dimension {dim} do not fit into {which}, which has {n_tokens} tokens × {n_dims} dimensions.</source>
        <translation>{rows} 行 × {columns} 列の数値は、{which}（{n_tokens}トークン × {n_dims}次元）のトークン {token}、次元 {dim} からでは収まりません。</translation>
    </message>
    <message>
        <source>{stage} of {n_query} × {n_key} tokens would take {needed} bytes for each head; up to {most} tokens have such tables. Export head_output, output or summaries.</source>
        <translation>{n_query} × {n_key} トークンの {stage} はヘッドごとに {needed} バイトになります。この表を書き出せるのは {most} トークンまでです。head_output、output、summaries のいずれかを書き出してください。</translation>
    </message>
    <message>
        <source>{stage} of {n_query} × {n_key} tokens would take {needed} bytes; up to {most} tokens have such tables. Export head_output, output or summaries.</source>
        <translation>{n_query} × {n_key} トークンの {stage} は {needed} バイトになります。こうした表を書き出せるのは {most} トークンまでです。head_output、output、summaries を書き出してください。</translation>
    </message>
    <message>
        <source>{text} is out of range; write a number from {minimum} to {maximum}.</source>
        <translation>{text} は範囲の外です。{minimum} から {maximum} までの数値を書いてください。</translation>
    </message>
    <message>
        <source>{tokens} tokens came with {kept} places of origin; one each is needed.</source>
        <translation>トークンが {tokens} 個なのに、元の位置が {kept} 個あります。1 個ずつ必要です。</translation>
    </message>
    <message>
        <source>{what} cannot be read as an array of numbers: {why}</source>
        <translation>{what} は数値の配列として読めません。{why}</translation>
    </message>
    <message>
        <source>{what} could not compile the kernels ({reason}); install another version of it, or NVRTC with pip install nvidia-cuda-nvrtc-cu12.</source>
        <translation>{what}はカーネルをコンパイルできませんでした（{reason}）。別の版を入れるか、pip install nvidia-cuda-nvrtc-cu12 でNVRTCを入れてください。</translation>
    </message>
    <message>
        <source>{what} has shape {got}: dask does not know its sides; call its compute_chunk_sizes() first.</source>
        <translation>{what} の形は {got} で、dask が大きさを知りません。先に compute_chunk_sizes() を呼んでください。</translation>
    </message>
    <message>
        <source>{what} has shape {got}; two axes are wanted: one row per input, one column per output, at least one of each.</source>
        <translation>{what} の形が {got} です。軸は2つで、入力ごとに1行、出力ごとに1列、それぞれ1つ以上にしてください。</translation>
    </message>
    <message>
        <source>{what} has shape {got}; two axes are wanted: one row per token, one column per dimension.</source>
        <translation>{what} の形が {got} です。1行が1トークン、1列が1次元の2軸でなければなりません。</translation>
    </message>
    <message>
        <source>{what} has shape {got}; {wanted} is wanted, one number per column.</source>
        <translation>{what} の形が {got} です。列ごとに1つ、{wanted} にしてください。</translation>
    </message>
    <message>
        <source>{what} has shape {got}; {wanted} is wanted, one number per query.</source>
        <translation>{what} の形状は {got} です。クエリごとに 1 つの数値となる {wanted} にしてください。</translation>
    </message>
    <message>
        <source>{what} has {got} columns; at most {wanted} are possible.</source>
        <translation>{what} の列数が {got} です。{wanted} までにしてください。</translation>
    </message>
    <message>
        <source>{what} has {got} dimensions; at most {wanted} are possible.</source>
        <translation>{what} が {got} 次元です。{wanted} 次元までにしてください。</translation>
    </message>
    <message>
        <source>{what} holds a number that is not finite.</source>
        <translation>{what} に有限でない数値があります。</translation>
    </message>
    <message>
        <source>{what} holds {got} at token {token}, dimension {dim}; finite numbers of magnitude up to 1e6 are wanted.</source>
        <translation>{what} のトークン {token}、次元 {dim} が {got} です。絶対値が 1e6 以下の有限の数値にしてください。</translation>
    </message>
    <message>
        <source>{what} holds {got} in row {row}, column {column}; finite numbers of magnitude up to 1e6 are wanted.</source>
        <translation>{what} の {row} 行 {column} 列が {got} です。絶対値が 1e6 までの有限の数にしてください。</translation>
    </message>
    <message>
        <source>{what} holds {got}, not numbers; an array of real numbers is wanted.</source>
        <translation>{what} が数値ではなく {got} です。実数の配列でなければなりません。</translation>
    </message>
    <message>
        <source>{what} is empty (shape {got}); at least one token and one dimension are needed.</source>
        <translation>{what} が空です（形 {got}）。1トークン、1次元以上が必要です。</translation>
    </message>
    <message>
        <source>{what} is older than this GPU and does not know it (compute capability {got}); install a newer CUDA toolkit, or NVRTC with pip install nvidia-cuda-nvrtc.</source>
        <translation>{what}はこのGPU（Compute Capability {got}）より古く、対応していません。新しいCUDA Toolkitを入れるか、pip install nvidia-cuda-nvrtc でNVRTCを入れてください。</translation>
    </message>
    <message>
        <source>{what} is ragged: its rows differ in length; all rows need the same.</source>
        <translation>{what} の行の長さがそろっていません。すべての行を同じ長さにしてください。</translation>
    </message>
    <message>
        <source>{what} is {got}, not a number.</source>
        <translation>{what} が数値ではなく {got} です。</translation>
    </message>
    <message>
        <source>{what} is {got}; a list of texts is wanted.</source>
        <translation>{what} が {got} です。文字列の並びでなければなりません。</translation>
    </message>
    <message>
        <source>{what} no longer compiles for this GPU (compute capability {got}); install one of CUDA 12 with pip install nvidia-cuda-nvrtc-cu12.</source>
        <translation>{what}はこのGPU（Compute Capability {got}）にはもう対応していません。pip install nvidia-cuda-nvrtc-cu12 でCUDA 12のものを入れてください。</translation>
    </message>
    <message>
        <source>{what} would take {needed} bytes of memory, and {had} are free; use fewer tokens or heads.</source>
        <translation>{what} には {needed} バイトのメモリが必要ですが、空きは {had} バイトです。トークンかヘッドを減らしてください。</translation>
    </message>
    <message>
        <source>{which} has shape {got}; (n_heads, n, d) or (n, d) is wanted.</source>
        <translation>{which} の形が {got} です。(n_heads, n, d) か (n, d) でなければなりません。</translation>
    </message>
    <message>
        <source>{which} is empty (shape {got}); at least one head, token and dimension are needed.</source>
        <translation>{which} が空です（形 {got}）。1ヘッド、1トークン、1次元以上が必要です。</translation>
    </message>
    <message>
        <source>{which} is missing; where q is the path of a store it may be.</source>
        <translation>{which} がありません。省けるのは、q がストアのパスのときだけです。</translation>
    </message>
    <message>
        <source>{which} is “{got}”; auto, cuda or cpu is wanted.</source>
        <translation>{which}が「{got}」です。auto、cuda、cpuのどれかにしてください。</translation>
    </message>
    <message>
        <source>{which} of head {head} is missing; W_Q, W_K and W_V are needed together.</source>
        <translation>ヘッド {head} の {which} がありません。W_Q、W_K、W_V は 3 つとも必要です。</translation>
    </message>
    <message>
        <source>{which} of head {head} is missing; a new head needs q and k, or W_Q, W_K and W_V.</source>
        <translation>ヘッド {head} の {which} がありません。新しいヘッドには q と k、または W_Q、W_K、W_V が必要です。</translation>
    </message>
    <message>
        <source>“id” is “{got}”; small letters, digits and hyphens are wanted, as in my-lesson.</source>
        <translation>「id」が「{got}」です。my-lesson のように、小文字・数字・ハイフンで書いてください。</translation>
    </message>
    <message>
        <source>“values” holds {got} numbers; {which} has {wanted} dimensions there.</source>
        <translation>「values」の数値が {got} 個あります。{which} の次元は {wanted} です。</translation>
    </message>
    <message>
        <source>“{got}” does not end in .csv, .npz or .json, which says the format to write.</source>
        <translation>「{got}」の末尾が .csv、.npz、.json のどれでもないので、書き出す形式がわかりません。</translation>
    </message>
    <message>
        <source>“{key}” stands twice in one object; write it once.</source>
        <translation>1 つのオブジェクトに「{key}」が 2 回あります。1 回だけ書いてください。</translation>
    </message>
    <message>
        <source>“{key}” stands twice in “{name}”.</source>
        <translation>「{name}」に「{key}」が2つあります。</translation>
    </message>
    <message>
        <source>“{name}” and “{other}” would both become {role} of head {head}; choose one of them.</source>
        <translation>「{name}」と「{other}」がどちらもヘッド {head} の {role} になります。どちらか 1 つを選んでください。</translation>
    </message>
    <message>
        <source>“{name}” and “{other}” would both become {role}; choose one of them.</source>
        <translation>「{name}」と「{other}」がどちらも {role} になります。どちらか 1 つを選んでください。</translation>
    </message>
    <message>
        <source>“{name}” cannot be read any more ({reason}); the picture shows what it held.</source>
        <translation>「{name}」を読めなくなりました（{reason}）。図はそれまでの内容のままです。</translation>
    </message>
    <message>
        <source>“{name}” could not be computed where it lives ({reason}); the picture shows what it was.</source>
        <translation>「{name}」をその場所で計算できませんでした（{reason}）。図はそれまでの内容のままです。</translation>
    </message>
    <message>
        <source>“{name}” gave rows of shape {got}, not {wanted}; it has changed since it was opened.</source>
        <translation>「{name}」の行の形が {wanted} ではなく {got} になっています。開いたあとに変わったようです。</translation>
    </message>
    <message>
        <source>“{name}” has changed since it was opened; the picture shows what it held then. Open it again to see what it holds now.</source>
        <translation>「{name}」は開いたあとに変わりました。図は開いたときの内容のままです。今の内容を見るには開き直してください。</translation>
    </message>
    <message>
        <source>“{name}” has shape ({got}); two axes, none of them 0, are wanted.</source>
        <translation>「{name}」の形が ({got}) です。どちらも 0 でない2軸でなければなりません。</translation>
    </message>
    <message>
        <source>“{name}” has shape {got}; a row of texts is wanted.</source>
        <translation>「{name}」の形は {got} です。1 次元の文字列の並びが必要です。</translation>
    </message>
    <message>
        <source>“{name}” has shape {got}; for {role} of all heads {wanted} is wanted.</source>
        <translation>「{name}」の形は {got} です。すべてのヘッドの {role} には {wanted} が必要です。</translation>
    </message>
    <message>
        <source>“{name}” has shape {got}; for {role} {wanted} is wanted.</source>
        <translation>「{name}」の形は {got} です。{role} には {wanted} が必要です。</translation>
    </message>
    <message>
        <source>“{name}” has {got} axes; at most {wanted} are possible.</source>
        <translation>「{name}」の軸は {got} 本です。{wanted} 本までにしてください。</translation>
    </message>
    <message>
        <source>“{name}” has {got} columns (axis {axis}), but there are {wanted} keys; one column per key is wanted.</source>
        <translation>「{name}」は {got} 列（軸 {axis}）ですが、キーは {wanted} 個です。キーごとに 1 列必要です。</translation>
    </message>
    <message>
        <source>“{name}” has {got} columns (axis {axis}), but x · W gives {wanted}; leave it out, or the matrices.</source>
        <translation>「{name}」は {got} 列（軸 {axis}）ですが、x · W は {wanted} 列になります。これか行列のどちらかを外してください。</translation>
    </message>
    <message>
        <source>“{name}” has {got} columns (axis {axis}), but {other} has {wanted} dimensions; q and k need the same d_k.</source>
        <translation>「{name}」は {got} 列（軸 {axis}）ですが、{other} は {wanted} 次元です。q と k の d_k を同じにしてください。</translation>
    </message>
    <message>
        <source>“{name}” has {got} columns (axis {axis}), which q, k and v cannot share evenly; three times as many as each has are wanted.</source>
        <translation>「{name}」の列数は {got}(軸 {axis})で、q、k、v に等分できません。それぞれの列数の 3 倍が必要です。</translation>
    </message>
    <message>
        <source>“{name}” has {got} columns (axis {axis}), which {wanted} heads cannot share evenly.</source>
        <translation>「{name}」の列は {got} 列（軸 {axis}）で、{wanted} 個のヘッドに均等に分けられません。</translation>
    </message>
    <message>
        <source>“{name}” has {got} heads (axis {axis}), but “{other}” has {wanted}; both need the same number.</source>
        <translation>「{name}」のヘッドは {got} 個（軸 {axis}）ですが、「{other}」は {wanted} 個です。同じ数にしてください。</translation>
    </message>
    <message>
        <source>“{name}” has {got} numbers (axis {axis}), but its matrix has {wanted} columns; one per column is wanted.</source>
        <translation>「{name}」の数は {got} 個（軸 {axis}）ですが、対応する行列は {wanted} 列です。列ごとに 1 個必要です。</translation>
    </message>
    <message>
        <source>“{name}” has {got} numbers (axis {axis}), but the output has {wanted} dimensions; one per dimension is wanted.</source>
        <translation>「{name}」の数は {got} 個（軸 {axis}）ですが、出力は {wanted} 次元です。次元ごとに 1 個必要です。</translation>
    </message>
    <message>
        <source>“{name}” has {got} rows (axis {axis}), but the heads&apos; outputs side by side have {wanted} columns (Σ d_v); both need the same number.</source>
        <translation>「{name}」は {got} 行（軸 {axis}）ですが、各ヘッドの出力を並べると {wanted} 列（Σ d_v）です。同じ数にしてください。</translation>
    </message>
    <message>
        <source>“{name}” has {got} rows (axis {axis}), but there are {wanted} key tokens; one row per token is wanted.</source>
        <translation>「{name}」は {got} 行（軸 {axis}）ですが、キーのトークンは {wanted} 個です。トークンごとに 1 行必要です。</translation>
    </message>
    <message>
        <source>“{name}” has {got} rows (axis {axis}), but there are {wanted} tokens; one row per token is wanted.</source>
        <translation>「{name}」は {got} 行（軸 {axis}）ですが、トークンは {wanted} 個です。トークンごとに 1 行必要です。</translation>
    </message>
    <message>
        <source>“{name}” has {got} rows (axis {axis}), but x has {wanted} columns; both need the same d_model.</source>
        <translation>「{name}」は {got} 行（軸 {axis}）ですが、x は {wanted} 列です。d_model を同じにしてください。</translation>
    </message>
    <message>
        <source>“{name}” holds Python objects, which could run anything; save an array of numbers.</source>
        <translation>「{name}」には Python オブジェクトが入っていて、任意のプログラムが動くおそれがあります。数値の配列として保存してください。</translation>
    </message>
    <message>
        <source>“{name}” holds a number that is far too large.</source>
        <translation>「{name}」に大きすぎる数があります。</translation>
    </message>
    <message>
        <source>“{name}” holds bytes that are neither true nor false.</source>
        <translation>「{name}」に、真でも偽でもないバイトがあります。</translation>
    </message>
    <message>
        <source>“{name}” holds numbers of type “{got}”; “{wanted}” is wanted.</source>
        <translation>「{name}」の数値の型が「{got}」です。「{wanted}」でなければなりません。</translation>
    </message>
    <message>
        <source>“{name}” holds other numbers than 0 and 1; a mask is 1 where the query may attend to the key.</source>
        <translation>「{name}」に 0 と 1 以外の数があります。マスクは、クエリがキーに注目できるところが 1 です。</translation>
    </message>
    <message>
        <source>“{name}” holds something else than numbers, at {place}.</source>
        <translation>「{name}」の {place} に数値以外のものがあります。</translation>
    </message>
    <message>
        <source>“{name}” holds {got} bytes of numbers, but its shape {shape} needs {wanted}.</source>
        <translation>「{name}」の数値が {got} バイトですが、形 {shape} には {wanted} バイトが必要です。</translation>
    </message>
    <message>
        <source>“{name}” holds {got}; finite numbers are wanted.</source>
        <translation>「{name}」に {got} があります。有限の数値でなければなりません。</translation>
    </message>
    <message>
        <source>“{name}” holds “{got}”; real numbers are wanted.</source>
        <translation>「{name}」の型は「{got}」です。実数が必要です。</translation>
    </message>
    <message>
        <source>“{name}” in it is not valid JSON.</source>
        <translation>中の「{name}」が正しい JSON ではありません。</translation>
    </message>
    <message>
        <source>“{name}” is cut short.</source>
        <translation>「{name}」が途中で切れています。</translation>
    </message>
    <message>
        <source>“{name}” is in Fortran order; C order is wanted.</source>
        <translation>「{name}」が Fortran の順です。C の順でなければなりません。</translation>
    </message>
    <message>
        <source>“{name}” is missing in it.</source>
        <translation>中に「{name}」がありません。</translation>
    </message>
    <message>
        <source>“{name}” is not an NPY array of format 1.0.</source>
        <translation>「{name}」が形式 1.0 の NPY 配列ではありません。</translation>
    </message>
    <message>
        <source>“{name}” is not an NPY array.</source>
        <translation>「{name}」は NPY 配列ではありません。</translation>
    </message>
    <message>
        <source>“{name}” is not an NPY array: its header is cut short or endless.</source>
        <translation>「{name}」は NPY 配列ではありません：ヘッダーが途中で切れているか、長すぎます。</translation>
    </message>
    <message>
        <source>“{name}” is not an NPY array: its header makes no sense.</source>
        <translation>「{name}」は NPY 配列ではありません：ヘッダーが正しくありません。</translation>
    </message>
    <message>
        <source>“{name}” is not there any more; the picture shows what it held. Put it back, or open it from where it is now.</source>
        <translation>「{name}」がなくなりました。図はそれまでの内容のままです。元に戻すか、今ある場所から開いてください。</translation>
    </message>
    <message>
        <source>“{name}” is not x · W of head {head}; leave it out, or the matrices.</source>
        <translation>「{name}」がヘッド {head} の x · W と一致しません。これか行列のどちらかを外してください。</translation>
    </message>
    <message>
        <source>“{name}” is packed in an unknown way.</source>
        <translation>「{name}」の圧縮方法がわかりません。</translation>
    </message>
    <message>
        <source>“{name}” is ragged: list {place} on axis {axis} has {got} entries, the first has {wanted}.</source>
        <translation>「{name}」の長さがそろっていません：軸 {axis} の {place} 番目のリストは {got} 個、最初のリストは {wanted} 個です。</translation>
    </message>
    <message>
        <source>“{name}” is too large to be read without a name that is known.</source>
        <translation>「{name}」は知られている名前ではなく、大きすぎるため読み込みません。</translation>
    </message>
    <message>
        <source>“{path}” cannot be opened here; drop a document (.attnviz, .png), a text (.txt, .md) or arrays (.npz, .npy, .csv, .tsv, .json, .zarr).</source>
        <translation>「{path}」はここでは開けません。ドキュメント（.attnviz、.png）、テキスト（.txt、.md）、配列（.npz、.npy、.csv、.tsv、.json、.zarr）のどれかをドロップしてください。</translation>
    </message>
    <message>
        <source>“{path}” cannot be opened: {reason}</source>
        <translation>「{path}」を開けません。{reason}</translation>
    </message>
    <message>
        <source>“{path}” cannot be read: permission is denied.</source>
        <translation>「{path}」を読み込めません。読む権限がありません。</translation>
    </message>
    <message>
        <source>“{path}” cannot be read: {reason}.</source>
        <translation>「{path}」を読み込めません（{reason}）。</translation>
    </message>
    <message>
        <source>“{path}” cannot be written: a token of {got} characters is too long for NPZ; JSON can hold it.</source>
        <translation>「{path}」に書き込めません。{got} 文字のトークンは NPZ には長すぎます。JSON なら書けます。</translation>
    </message>
    <message>
        <source>“{path}” cannot be written: files cannot be locked there.</source>
        <translation>「{path}」に書き込めません。そこではファイルをロックできません。</translation>
    </message>
    <message>
        <source>“{path}” cannot be written: it is a device or a pipe, not a file.</source>
        <translation>「{path}」に書き込めません。ファイルではなく、デバイスかパイプです。</translation>
    </message>
    <message>
        <source>“{path}” cannot be written: it is a folder; name a file.</source>
        <translation>「{path}」に書き込めません。フォルダなので、ファイルの名前を指定してください。</translation>
    </message>
    <message>
        <source>“{path}” cannot be written: its folder is read-only.</source>
        <translation>「{path}」に書き込めません。フォルダが読み取り専用です。</translation>
    </message>
    <message>
        <source>“{path}” cannot be written: permission is denied for it or its folder.</source>
        <translation>「{path}」に書き込めません。ファイルかフォルダに書く権限がありません。</translation>
    </message>
    <message>
        <source>“{path}” cannot be written: the disk is full.</source>
        <translation>「{path}」に書き込めません。ディスクがいっぱいです。</translation>
    </message>
    <message>
        <source>“{path}” cannot be written: the document is too large for a session ({got} MB).</source>
        <translation>「{path}」に書き込めません。文書がセッションには大きすぎます（{got} MB）。</translation>
    </message>
    <message>
        <source>“{path}” cannot be written: the name is too long.</source>
        <translation>「{path}」に書き込めません。名前が長すぎます。</translation>
    </message>
    <message>
        <source>“{path}” cannot be written: there is no folder “{folder}”.</source>
        <translation>「{path}」に書き込めません。フォルダ「{folder}」がありません。</translation>
    </message>
    <message>
        <source>“{path}” cannot be written: there is not enough memory for it.</source>
        <translation>「{path}」に書き込めません。メモリが足りません。</translation>
    </message>
    <message>
        <source>“{path}” cannot be written: {reason}.</source>
        <translation>「{path}」に書き込めません（{reason}）。</translation>
    </message>
    <message>
        <source>“{path}” cannot be written: “{folder}” is not a folder.</source>
        <translation>「{path}」に書き込めません。「{folder}」はフォルダではありません。</translation>
    </message>
    <message>
        <source>“{path}” is not a file on this machine.</source>
        <translation>「{path}」はこのコンピューター上のファイルではありません。</translation>
    </message>
    <message>
        <source>“{place}” can never be so: “at_least” is {least}, “at_most” is {most}.</source>
        <translation>「{place}」は決して成り立ちません。「at_least」が {least}、「at_most」が {most} です。</translation>
    </message>
    <message>
        <source>“{place}” has {got} rows, but there are {wanted} key tokens.</source>
        <translation>「{place}」は {got} 行ですが、キーのトークンは {wanted} 個です。</translation>
    </message>
    <message>
        <source>“{place}” has {got} rows, but there are {wanted} tokens.</source>
        <translation>「{place}」が {got} 行ですが、トークンは {wanted} 個あります。</translation>
    </message>
    <message>
        <source>“{place}” has {got} rows; a bias has one.</source>
        <translation>「{place}」の行数が {got} です。バイアスは1行です。</translation>
    </message>
    <message>
        <source>“{place}” holds a number that is far too large.</source>
        <translation>「{place}」に、大きすぎる数値があります。</translation>
    </message>
    <message>
        <source>“{place}” holds {got}, but there are only {wanted} tokens.</source>
        <translation>「{place}」に {got} がありますが、トークンは {wanted} 個しかありません。</translation>
    </message>
    <message>
        <source>“{place}” holds {what}; {kind} is wanted.</source>
        <translation>「{place}」の値が {what} です。{kind} でなければなりません。</translation>
    </message>
    <message>
        <source>“{place}” is empty; at least one row and one column are needed.</source>
        <translation>「{place}」が空です。1行1列以上が必要です。</translation>
    </message>
    <message>
        <source>“{place}” is empty; write at least one word.</source>
        <translation>「{place}」が空です。1 語以上書いてください。</translation>
    </message>
    <message>
        <source>“{place}” is missing.</source>
        <translation>「{place}」がありません。</translation>
    </message>
    <message>
        <source>“{place}” is not known there; {wanted} are.</source>
        <translation>「{place}」はそこでは使えません。使えるのは {wanted} です。</translation>
    </message>
    <message>
        <source>“{place}” is not x · W of that head; correct it, or leave the vectors out.</source>
        <translation>「{place}」がそのヘッドの x · W と合いません。直すか、ベクトルを省いてください。</translation>
    </message>
    <message>
        <source>“{place}” is ragged: row {row} has {got} numbers, row 0 has {wanted}.</source>
        <translation>「{place}」の行の長さがそろっていません。行 {row} の数値が {got} 個、行 0 は {wanted} 個です。</translation>
    </message>
    <message>
        <source>“{place}” is {got}; a number from {least} to {most} is wanted.</source>
        <translation>「{place}」が {got} です。{least} から {most} までの数値にしてください。</translation>
    </message>
    <message>
        <source>“{place}” is “{got}”; {wanted} are possible.</source>
        <translation>「{place}」が「{got}」です。使えるのは {wanted} です。</translation>
    </message>
    <message>
        <source>“{place}” needs one of {wanted}.</source>
        <translation>「{place}」には {wanted} のどれかが必要です。</translation>
    </message>
    <message>
        <source>“{place}”: {reason}</source>
        <translation>「{place}」：{reason}</translation>
    </message>
    <message>
        <source>“{text}” has a decimal comma; write it with a point: {wanted}.</source>
        <translation>「{text}」の小数点がカンマです。{wanted} のようにピリオドで書いてください。</translation>
    </message>
    <message>
        <source>“{text}” is not a number; write digits such as 0.75 or -2.</source>
        <translation>「{text}」は数値ではありません。0.75 や -2 のように書いてください。</translation>
    </message>
    <message>
        <source>“{text}” is not a whole number; write digits such as 4.</source>
        <translation>「{text}」は整数ではありません。4 のように書いてください。</translation>
    </message>
    <message>
        <source>“{text}” may be one number with a decimal comma, or two; write {one} for one, “{two}” for two.</source>
        <translation>「{text}」は、1つの小数とも2つの数値とも読めます。1つなら {one}、2つなら「{two}」と書いてください。</translation>
    </message>
    <message>
        <source>“{text}” may be one number with commas between thousands, or several; write {one} for one, “{several}” for several.</source>
        <translation>「{text}」は3桁ごとにコンマで区切った1つの数とも、複数の数とも読めます。1つなら {one}、複数なら「{several}」と書いてください。</translation>
    </message>
</context>
<context>
    <name>words</name>
    <message>
        <source>head</source>
        <translation>ヘッド</translation>
    </message>
    <message>
        <source>query</source>
        <translation>クエリ</translation>
    </message>
    <message>
        <source>key</source>
        <translation>キー</translation>
    </message>
    <message>
        <source>token</source>
        <translation>トークン</translation>
    </message>
    <message>
        <source>dimension</source>
        <translation>次元</translation>
    </message>
    <message>
        <source>queries</source>
        <translation>クエリ</translation>
    </message>
    <message>
        <source>keys</source>
        <translation>キー</translation>
    </message>
    <message>
        <source>q and k</source>
        <translation>q と k</translation>
    </message>
    <message>
        <source>The mask</source>
        <translation>マスク</translation>
    </message>
    <message>
        <source>a number</source>
        <translation>数値</translation>
    </message>
    <message>
        <source>a huge number</source>
        <translation>大きすぎる数値</translation>
    </message>
    <message>
        <source>a whole number from 0</source>
        <translation>0 以上の整数</translation>
    </message>
    <message>
        <source>a text</source>
        <translation>文字列</translation>
    </message>
    <message>
        <source>true or false</source>
        <translation>true か false</translation>
    </message>
    <message>
        <source>a list</source>
        <translation>配列</translation>
    </message>
    <message>
        <source>an object</source>
        <translation>オブジェクト</translation>
    </message>
</context>
</TS>
